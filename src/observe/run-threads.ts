import type { Network } from '../diff/diff-html.ts';
import type { ObserveContext } from '../sources/observations.ts';
import type { Batch } from '../store/batch.ts';
import type { ReadingThreads } from './read.ts';
import type { Spool } from './spool.ts';
import type { ThreadJob } from './thread-messages.ts';
import { Threads } from './threads.ts';
import { ValueReader } from './value-reader.ts';

/** With less text or fewer snapshots, threads take longer to start than they save. */
const READ_AFTER = 1 << 19;
const FOLD_FROM = 2000;

export interface ThreadOptions {
  /** The number of threads, including the main thread. With 1, everything runs on the main thread. */
  readonly jobs: number;
  /** How much text is read before threads start, in UTF-16 units. */
  readonly readAfter?: number | undefined;
  /** The number of snapshots from which on threads fold them. */
  readonly foldFrom?: number | undefined;
}

interface RunOptions {
  readonly snapshots: ObserveContext;
  readonly network: Network;
  readonly dryRun?: boolean | undefined;
  readonly threads?: ThreadOptions | undefined;
}

/** Starts the threads of a run beside the main thread when there is enough work for them. The same threads read and fold. */
export class RunThreads {
  readonly #batch: Batch;
  readonly #spool: Spool;
  readonly #options: RunOptions;
  #threads: Threads | undefined;

  constructor(batch: Batch, spool: Spool, options: RunOptions) {
    this.#batch = batch;
    this.#spool = spool;
    this.#options = options;
  }

  /** The threads that read inputs; undefined if the run has one thread. */
  get forReading(): ReadingThreads | undefined {
    if (this.#jobs === 1) return undefined;
    return {
      after: this.#options.threads?.readAfter ?? READ_AFTER,
      start: () => this.#start(),
      mainReader: new ValueReader(this.#context, this.#spool.profiles),
    };
  }

  /** Returns the threads that fold the snapshots; undefined if there are too few snapshots. */
  async forFolding(): Promise<Threads | undefined> {
    if (this.#jobs === 1 || this.#spool.length < (this.#options.threads?.foldFrom ?? FOLD_FROM)) {
      await this.#flush(this.#threads);
      return undefined;
    }
    const threads = this.#start();
    await this.#flush(threads);
    return threads;
  }

  async close(): Promise<void> {
    await this.#threads?.close();
    this.#threads = undefined;
  }

  get #jobs(): number {
    return this.#options.threads?.jobs ?? 1;
  }

  /** The options for reading. Functions cannot be sent to a thread. */
  get #context(): ThreadJob['context'] {
    const { snapshots } = this.#options;
    return { from: snapshots.from, observedAt: snapshots.observedAt, unescape: snapshots.unescape };
  }

  #start(): Threads {
    if (this.#threads !== undefined) return this.#threads;
    const { network, dryRun } = this.#options;
    // a dry run can have a store of an earlier version, which only its own transaction migrates
    const { database } = this.#batch;
    const isNew = database.value('SELECT NOT EXISTS (SELECT 1 FROM account)') === 1;
    const store = dryRun || isNew ? undefined : database.path;
    const context = this.#context;
    const jobs = Array.from({ length: this.#jobs - 1 }, () => ({ pool: this.#spool.addPool(), context, network, store }));
    this.#threads = new Threads(jobs);
    return this.#threads;
  }

  /** Waits until the threads have written what they read. */
  async #flush(threads: Threads | undefined): Promise<void> {
    for (let thread = 0; thread < (threads?.length ?? 0); thread += 1) await threads?.ask(thread, { kind: 'flush' });
  }
}
