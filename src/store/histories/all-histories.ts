import { availableParallelism } from 'node:os';
import { ThreadPool } from '../../threads/thread-pool.ts';
import type { Connection } from '../database/connection.ts';
import { wrapErrors } from '../database/store-error.ts';
import { type DeriveStep, type StaleAccount, staleAccounts } from './derived-histories.ts';
import type { RecordWindow } from './record-window.ts';
import { RecordsByAccount } from './records-by-account.ts';
import { historiesIn, unpacked, type WindowHistories, type WindowRequest } from './window-histories.ts';

/**
 * Derives the histories if all accounts are stale: reads the whole feed once. If there are many, a thread derives the next ones while
 * this thread writes the previous ones.
 * The caller must wait for `ready` of each step that has it.
 * @throws Failure bad-store, file-system
 */
export function* allHistories(database: Connection): Generator<DeriveStep> {
  const records = new RecordsByAccount(database);
  const { windows } = records;
  const thread =
    windows.length > 1 && availableParallelism() > 1
      ? new ThreadPool<WindowRequest, WindowHistories | undefined>(new URL('./history-thread.js', import.meta.url), [undefined])
      : undefined;
  try {
    for (const _ of records.read()) yield {};
    let before: WindowDerivation | undefined;
    for (const window of windows) {
      const derivation = new WindowDerivation(database.path, window, [...staleAccounts(database, window.first, window.end)], thread);
      if (before !== undefined) yield* before.steps();
      before = derivation;
    }
    if (before !== undefined) yield* before.steps();
  } finally {
    void thread?.close();
    records.close();
  }
}

type HistoryThread = ThreadPool<WindowRequest, WindowHistories | undefined>;

/** Derives the histories of a window, on a thread if there is one. */
class WindowDerivation {
  readonly #path: string;
  readonly #window: RecordWindow;
  readonly #accounts: readonly StaleAccount[];
  readonly #ready: Promise<void> | undefined;
  #histories: WindowHistories | undefined;

  constructor(path: string, window: RecordWindow, accounts: readonly StaleAccount[], thread: HistoryThread | undefined) {
    this.#path = path;
    this.#window = window;
    this.#accounts = accounts;
    if (thread === undefined) return;
    const request = this.#request();
    const answer = thread.ask(request, [request.entries.bytes.buffer]);
    this.#ready = answer.then(
      (histories) => {
        this.#histories = histories;
      },
      // after an error of the thread, this thread does the work, and gets the same error
      () => {},
    );
  }

  *steps(): Generator<DeriveStep> {
    if (this.#ready !== undefined) yield { ready: this.#ready };
    // if the data is damaged, the thread has no answer: this thread finds the cause
    const histories = this.#histories === undefined ? historiesIn(this.#request()) : unpacked(this.#histories);
    for (const account of this.#accounts) {
      const { value: history, done } = histories.next();
      if (done !== true) yield { derived: { account, history } };
    }
  }

  #request(): WindowRequest {
    return { path: this.#path, accounts: this.#accounts, entries: wrapErrors(this.#path, () => this.#window.read()) };
  }
}
