import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { type RequestCounter, stopped } from '../storage/retry.ts';
import type { Target } from '../storage/target.ts';
import { fileSystemFailure } from '../store/database.ts';
import { StoreImage, type StoreState } from '../store/image.ts';
import { lock } from '../store/lock.ts';
import { mkdirp } from '../store/mkdirp.ts';
import { replaceStore } from '../store/replace.ts';
import type { Block } from './block-list.ts';
import type { Catalog, Version } from './catalog.ts';
import { CatalogObject } from './catalog-object.ts';
import { blocksHere, damaged, fetchFile } from './fetch-file.ts';
import { openRemote, type Remote, type RemoteOptions } from './remote.ts';
import { readBlocks } from './version-blocks.ts';

export interface PullOptions extends RemoteOptions {
  /** Where the store goes. */
  readonly store: string;
  /** The number of the version; undefined: the newest. */
  readonly version: number | undefined;
  /** Whether the target may have no store yet. */
  readonly allowMissing: boolean;
  /** Whether a store is replaced although the version does not descend from it. */
  readonly replace: boolean;
  /** Called with the bytes of the store that are in the new file, and all. */
  readonly onFetch?: ((done: number, all: number) => void) | undefined;
}

export interface PullSummary {
  /** Undefined where the target has no store. */
  readonly version: Version | undefined;
  /** Whether the store here was that version already. */
  readonly unchanged: boolean;
  readonly blocks: { readonly all: number; readonly fetched: number };
  readonly traffic: RequestCounter;
}

/**
 * Fetches a version of a store into a file beside the store, checks every block and the whole, and puts it in the store's place.
 * @throws Failure no-store, store-diverged, bad-store, store-newer, store-busy, not-ours, target-failed, target-denied, stopped, file-system
 */
export async function pull(target: Target, options: PullOptions): Promise<PullSummary> {
  const remote = openRemote(target, options);
  const { traffic } = remote;
  const catalog = await new CatalogObject(remote).read();
  const version = chosenVersion(remote, catalog, options);
  if (version === undefined) return { version, unchanged: true, blocks: { all: 0, fetched: 0 }, traffic };
  const blocks = await readBlocks(remote, version.id);
  const isWhole = blocks?.length === Math.ceil(version.bytes / version.block_bytes);
  if (blocks === undefined || !isWhole) throw damaged(remote, version, 'no list of its blocks, or a damaged one');
  try {
    mkdirp(dirname(options.store));
    const held = lock(`${options.store}.pull-lock`);
    if (held === undefined) throw busy(options.store);
    try {
      return { version, ...(await exchange(remote, version, blocks, options)), traffic };
    } finally {
      removePart(options.store);
      held.release();
    }
  } catch (error) {
    throw fileSystemFailure(options.store, error);
  }
}

/** What the file is called until it is checked: the same again after a kill, so that the next run takes it away. */
function partOf(store: string): string {
  return `${store}.pull`;
}

function removePart(store: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(partOf(store) + suffix, { force: true });
}

function chosenVersion(remote: Remote, catalog: Catalog | undefined, { version, allowMissing }: PullOptions): Version | undefined {
  const versions = catalog?.versions ?? [];
  const [first, last] = [versions[0], versions.at(-1)];
  if (first === undefined || last === undefined) {
    if (allowMissing) return undefined;
    throw new Failure('no-store', `${remote.name} has no store`, {
      expected: 'a store that palimpsest store push sent there',
      found: catalog === undefined ? 'nothing' : 'a first push that did not end',
      hint: 'look at the address and --prefix; in the very first run, and in no other, add --allow-missing',
    });
  }
  const found = version === undefined ? last : versions.find(({ number }) => number === version);
  if (found !== undefined) return found;
  throw new Failure('no-store', `${remote.name} does not keep version ${version}`, {
    expected: `one of the versions ${first.number} to ${last.number}`,
    found: `${version}`,
    hint: 'palimpsest store list shows them',
  });
}

async function exchange(
  remote: Remote,
  version: Version,
  blocks: readonly Block[],
  options: PullOptions,
): Promise<Pick<PullSummary, 'unchanged' | 'blocks'>> {
  const { store, replace, signal } = options;
  removePart(store);
  const here = await imageAt(store);
  let fetched = 0;
  try {
    const isAhead = here !== undefined && here.state.revision > version.revision;
    if (isAhead && !replace) throw diverged(remote, store, here.state, version);
    const same = await blocksHere(remote, here, version, blocks, signal);
    fetched = blocks.length - same.size;
    if (fetched === 0 && here?.bytes === version.bytes) return { unchanged: true, blocks: { all: blocks.length, fetched } };
    await fetchFile(remote, version, blocks, { here, same, path: partOf(store), ...options });
    const there = await StoreImage.open(partOf(store));
    try {
      if (there.state.fingerprint !== version.fingerprint) throw damaged(remote, version, `the fingerprint ${there.state.fingerprint}`);
      if (here !== undefined && !replace && !there.descendsFrom(here.state)) throw diverged(remote, store, here.state, version);
    } finally {
      there.close();
    }
  } finally {
    here?.close();
  }
  if (signal.aborted) throw stopped(remote);
  replaceStore(store, partOf(store), here?.state);
  return { unchanged: false, blocks: { all: blocks.length, fetched } };
}

/** The store that is here; undefined where there is none, or one that no import has filled. */
async function imageAt(store: string): Promise<StoreImage | undefined> {
  if (!existsSync(store)) return undefined;
  try {
    return await StoreImage.open(store);
  } catch (error) {
    if (error instanceof Failure && error.code === 'no-store') return undefined;
    throw error;
  }
}

function busy(store: string): Failure {
  return new Failure('store-busy', `another pull is writing ${store}`, {
    place: { file: store },
    expected: 'one pull at a time',
    found: 'a lock that another process holds',
    hint: 'wait until it has ended',
  });
}

function diverged(remote: Remote, store: string, here: StoreState, version: Version): Failure {
  return new Failure('store-diverged', `${store} has something that version ${version.number} at ${remote.name} does not have`, {
    place: { file: store },
    expected: `a store that led to revision ${version.revision} (${version.fingerprint.slice(0, 12)}), or none`,
    found: `revision ${here.revision} (${here.fingerprint.slice(0, 12)}), with ${here.records} records`,
    hint: 'push it first, or move it away; --replace throws away what only this store has; nothing was touched',
  });
}
