import type { Pauses } from '../contract/event-loop-pauses.ts';
import type { Store } from '../store/store.ts';
import { onThreads } from '../threads/thread-pool.ts';

/** With fewer records and accounts, threads take longer to start than they save. */
export const MIN_ITEMS_FOR_THREADS = 2000;

/** The store whose names a thread checks. */
export interface NamedStore {
  readonly store: string;
  readonly revision: number;
}

/**
 * Checks that the accounts match their indexes, which HTML pages are made from. A thread does this while the main thread
 * begins the build. A stop does not wait for the thread, which reads only and cannot end within a check of SQLite.
 * @param pauses end the work of the thread
 * @returns a digest of all that the search index shows of the accounts
 * @throws Failure bad-store, stopped
 */
export async function checkNames(store: Store, pauses: Pauses): Promise<string> {
  let digest = '';
  const { records, accounts, number } = store.revision;
  const data: NamedStore = { store: store.path, revision: number };
  const check = onThreads(
    {
      requests: ['check'],
      module: new URL('./account-index-thread.js', import.meta.url),
      data,
      threads: records + accounts < MIN_ITEMS_FOR_THREADS ? 0 : 1,
      here: () => store.checkNames(),
      onAnswer: (answer) => {
        digest = answer;
      },
    },
    pauses,
  );
  await pauses.until(check);
  return digest;
}
