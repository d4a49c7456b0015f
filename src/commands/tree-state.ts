import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Given } from '../command-line/spec.ts';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { Store } from '../store/store.ts';
import type { CommitPhase } from '../store/writing/batch.ts';
import { items, type Phases } from '../terminal/progress.ts';
import type { Line, Terminal } from '../terminal/terminal.ts';
import type { BuildRecord } from '../tree/build-record.ts';

/** The phases that end every command that writes to the store. */
export const COMMIT_PHASES: Phases<CommitPhase> = {
  index: { label: 'indexing the records', amount: items('record') },
  histories: { label: 'updating accounts', amount: items('account') },
  commit: { label: 'writing the store', amount: items('record') },
};

/**
 * Opens a store for some work that is not asynchronous, and closes it.
 * @throws Failure no-store, bad-store, store-older, store-newer, and those of the work
 */
export function withStore<T>(path: string, work: (store: Store) => T): T {
  const store = Store.open(path);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

/** Whether a fingerprint is that of the present state of a store, of an earlier state, or of no state that it knows. */
export function stateIn(store: Store, fingerprint: string): 'current' | 'earlier' | 'other' {
  if (store.revision.fingerprint === fingerprint) return 'current';
  return store.revisionOf(fingerprint) === undefined ? 'other' : 'earlier';
}

/**
 * Whether a tree is of the present state of a store, of an earlier state, or of no state that it knows. HTML pages also show the days
 * with snapshots. Without a store, a tree is current.
 */
export function stateAt(path: string | undefined, build: BuildRecord): 'current' | 'earlier' | 'other' {
  if (path === undefined) return 'current';
  return withStore(path, (store) => {
    const state = stateIn(store, build.store);
    const lacksDays = build.browse_files !== undefined && !isDeepStrictEqual(build.snapshot_days ?? [], store.snapshotDays());
    return state === 'current' && lacksDays ? 'earlier' : state;
  });
}

/**
 * Returns the store whose removed accounts a tree must not have. Returns undefined if the default store does not exist, or cannot
 * be opened: the command does not need it, so it only warns.
 * @throws Failure those of {@link withStore} if the store was given, and store-busy
 */
export function storeOfRemovals(terminal: Terminal, path: string, given: Given): string | undefined {
  const isGiven = given.has('--store');
  if (!isGiven && !existsSync(path)) return undefined;
  try {
    return withStore(path, () => path);
  } catch (error) {
    if (isGiven || !(error instanceof Failure) || error.code === 'store-busy') throw error;
    terminal.alert(`the tree was not checked for removed accounts: ${error.message}; name the store of the tree with --store`);
    return undefined;
  }
}

/** Warns that a tree lacks changes of its store. It is no error: the store may have got them for the next build. */
export function alertOlder(terminal: Terminal, out: string, store: string): void {
  terminal.alert(`the tree in ${out} lacks the latest changes in ${store}: to have them, first run ${terminal.command('build')}`);
}

/**
 * Refuses a tree that was not built from the present state of a store.
 * @param built the fingerprint of the store that the tree was built from
 * @throws Failure store-diverged
 */
export function refuseOtherState(store: Store, out: string, built: string): void {
  const state = stateIn(store, built);
  if (state === 'current') return;
  const options = { '--store': store.path, '--out': out };
  const replacing = { ...options, '--replace-tree': true } as const;
  throw new Failure('store-diverged', `${out} was not built from the current state of ${store.path}`, {
    place: { file: out },
    expected: `a tree of the store with the fingerprint ${store.revision.fingerprint}`,
    found: `a tree of a store with the fingerprint ${built}`,
    hint:
      state === 'earlier'
        ? hint`run ${suggested('build', options)} first`
        : hint`if the store went back to an earlier state, or another program changed it, run ${suggested('build', replacing)} first; otherwise name the store of the tree with --store`,
  });
}

/** Returns the line about a store that a run creates. Call it before the run. @param verb whether the run creates it, or would do so */
export function newStoreLine(path: string, verb: 'created' | 'would create'): Line {
  return !existsSync(path) && `  store     ${verb} a new store at ${path}: there was none`;
}
