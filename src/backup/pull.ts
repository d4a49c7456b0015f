import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { type OnProgress, stopped } from '../contract/pauses.ts';
import { plural } from '../contract/plural.ts';
import { openRemote, type Remote, type RemoteOptions } from '../storage/remote.ts';
import type { RequestCounter } from '../storage/request-counter.ts';
import type { Target } from '../storage/target.ts';
import { StoreImage, type StoreState } from '../store/image.ts';
import { lock } from '../store/lock.ts';
import { mkdirp } from '../store/mkdirp.ts';
import { replaceStore } from '../store/replace.ts';
import { fileSystemFailure } from '../store/store-error.ts';
import type { Block } from './block-list.ts';
import type { Catalog, Version } from './catalog.ts';
import { CatalogObject } from './catalog-object.ts';
import { blocksHere, damaged, type FetchPhase, fetchFile } from './fetch-file.ts';
import { readBlocks } from './version-blocks.ts';

export interface PullOptions extends RemoteOptions {
  /** The path of the local store. */
  readonly store: string;
  /** The number of the version; undefined for the newest. */
  readonly version: number | undefined;
  /** Whether a target without a store is acceptable. */
  readonly allowMissing: boolean;
  /** Whether to replace a store even if the version does not descend from it. */
  readonly replace: boolean;
  readonly onProgress?: OnProgress<FetchPhase> | undefined;
}

export interface PullSummary {
  /** Undefined if the target has no store. */
  readonly version: Version | undefined;
  /** Whether the local store already was that version. */
  readonly unchanged: boolean;
  readonly blocks: { readonly all: number; readonly fetched: number };
  readonly traffic: RequestCounter;
}

/**
 * Fetches a version of a store into a file beside the local store, verifies every block and the whole file, and then
 * replaces the local store.
 * @throws Failure no-store, store-diverged, bad-store, store-newer, store-busy, not-ours, target-failed, target-denied, stopped, file-system
 */
export async function pull(target: Target, options: PullOptions): Promise<PullSummary> {
  const remote = openRemote(target, { ...options, kept: `the store ${options.store} is unchanged` });
  const { traffic } = remote;
  const catalog = await new CatalogObject(remote).read();
  const version = chosenVersion(remote, catalog, options);
  if (version === undefined) return { version, unchanged: true, blocks: { all: 0, fetched: 0 }, traffic };
  const blocks = await readBlocks(remote, version.id);
  const isWhole = blocks?.length === Math.ceil(version.bytes / version.block_bytes);
  if (blocks === undefined || !isWhole) throw damaged(remote, version, 'a missing or damaged list of its blocks');
  try {
    mkdirp(dirname(options.store));
    const pullLock = lock(`${options.store}.pull-lock`);
    if (pullLock === undefined) throw busy(options.store);
    try {
      return { version, ...(await exchange(remote, version, blocks, options)), traffic };
    } finally {
      removePart(options.store);
      pullLock.release();
    }
  } catch (error) {
    throw fileSystemFailure(options.store, error);
  }
}

/** Returns the path of the file until it is verified. It is always the same, so that the next run removes what a kill left. */
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
      found: catalog === undefined ? 'no versions of a store' : 'a first push that did not end',
      hint: 'check the address and --prefix; only in the very first run, add --allow-missing',
    });
  }
  const found = version === undefined ? last : versions.find(({ number }) => number === version);
  if (found !== undefined) return found;
  throw new Failure('no-store', `${remote.name} does not keep version ${version}`, {
    expected: first === last ? `version ${first.number}` : `one of the versions ${first.number} to ${last.number}`,
    found: `${version}`,
    hint: hint`run ${suggested('store list')} to see the versions`,
  });
}

async function exchange(
  remote: Remote,
  version: Version,
  blocks: readonly Block[],
  options: PullOptions,
): Promise<Pick<PullSummary, 'unchanged' | 'blocks'>> {
  const { store, replace, signal, onProgress = () => {} } = options;
  removePart(store);
  const here = await imageAt(store);
  let fetched = 0;
  try {
    const isAhead = here !== undefined && here.state.revision > version.revision;
    if (isAhead && !replace) throw diverged(remote, store, here.state, version);
    const same = await blocksHere(remote, here, version, blocks, signal, onProgress);
    fetched = blocks.length - same.size;
    if (fetched === 0 && here?.bytes === version.bytes) return { unchanged: true, blocks: { all: blocks.length, fetched } };
    await fetchFile(remote, version, blocks, { ...options, here, same, path: partOf(store), onProgress });
    const there = await StoreImage.open(partOf(store));
    try {
      // opening the file can have added a revision, if an earlier version of palimpsest wrote it
      if (!there.descendsFrom(version)) throw damaged(remote, version, `the fingerprint ${there.state.fingerprint}`);
      if (here !== undefined && !replace && !there.descendsFrom(here.state)) throw diverged(remote, store, here.state, version);
    } finally {
      there.close();
    }
  } finally {
    here?.close();
  }
  if (signal.aborted) throw stopped(remote.policy.kept);
  replaceStore(store, partOf(store), here?.state);
  return { unchanged: false, blocks: { all: blocks.length, fetched } };
}

/** Opens the local store; undefined if it does not exist or is empty. */
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
    found: 'the lock of another process',
    hint: 'wait until the other pull has ended, then pull again',
  });
}

function diverged(remote: Remote, store: string, here: StoreState, version: Version): Failure {
  const isSame = here.fingerprint === version.fingerprint;
  const message = isSame
    ? `${store} has the content of version ${version.number} at ${remote.name}, but was made in another way`
    : `${store} has data that version ${version.number} at ${remote.name} does not have`;
  return new Failure('store-diverged', message, {
    place: { file: store },
    expected: 'a store from which that version was made, or no store',
    found: isSame
      ? 'a store with the same records and accounts and another origin'
      : `a store with ${plural(here.records, 'record')}, not all in that version`,
    hint: isSame
      ? 'replace this store with --replace: only times at which accounts were observed can be lost; nothing was changed'
      : 'pull to another file with --store, or discard the data of this store with --replace; nothing was changed',
  });
}
