import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { plural } from '../contract/amounts.ts';
import { type OnProgress, stopped } from '../contract/event-loop-pauses.ts';
import { Failure } from '../contract/failure.ts';
import { mkdirp } from '../contract/files/mkdirp.ts';
import { hint, suggested } from '../contract/hint.ts';
import { openRemote, type Remote, type RemoteOptions } from '../storage/remote.ts';
import type { Target } from '../storage/target.ts';
import { removeDatabase } from '../store/database/connection.ts';
import { lock } from '../store/database/lock-file.ts';
import { replaceStore } from '../store/database/replace.ts';
import { SCHEMA_VERSION } from '../store/database/schema.ts';
import { otherSchema } from '../store/database/schema-version.ts';
import { toDiskFailure } from '../store/database/store-error.ts';
import { StoreImage, type StoreState } from '../store/store-image.ts';
import { commitPath } from '../versions/commit-format.ts';
import { fetchVersion } from '../versions/fetch-version.ts';
import { listVersions } from '../versions/newest-commit.ts';
import { decompress, hasBytesOf, STORE_KIND, type StoreVersion, stateOfVersion } from './store-version.ts';

/** The phases of a pull. They count bytes: of the local store, of the compressed store, and of the new store. */
export type PullPhase = 'compare' | 'fetch' | 'decompress';

export interface PullOptions extends RemoteOptions {
  /** The path of the local store. */
  readonly store: string;
  /** The number of the version; undefined for the newest. */
  readonly version: number | undefined;
  /** Whether a target without a store is acceptable. */
  readonly allowMissing: boolean;
  /** Whether to replace a store even if the version does not descend from it. */
  readonly replace: boolean;
  readonly onProgress?: OnProgress<PullPhase> | undefined;
}

export interface PullSummary {
  /** Undefined if the target has no store. */
  readonly version: StoreVersion | undefined;
  /** Whether the local store already was that version. */
  readonly unchanged: boolean;
  /** What is wrong at the target. */
  readonly problems: readonly string[];
  readonly traffic: Remote['traffic'];
}

/**
 * Fetches a version of a store into a file beside the local store, verifies it, and then replaces the local store.
 * @throws Failure no-store, store-diverged, bad-store, store-older, store-newer, store-busy, other-form, not-ours, target-failed, target-denied,
 * stopped, file-system
 */
export async function pull(target: Target, options: PullOptions): Promise<PullSummary> {
  const remote = openRemote(target, { ...options, kept: `the store ${options.store} is unchanged` });
  const { traffic } = remote;
  const { versions, problems, unread } = await listVersions(remote, STORE_KIND);
  if (unread !== undefined && options.version === undefined) throw unreadable(remote, unread, versions[0]);
  const version = chosenVersion(remote, versions, options);
  if (version === undefined) return { version, unchanged: true, problems, traffic };
  if (version.schema !== SCHEMA_VERSION)
    throw otherSchema(`version ${version.number} at ${remote.name}`, version.file, version.schema, 'palimpsest store pull and ');
  try {
    mkdirp(dirname(options.store));
    const pullLock = lock(`${options.store}.pull-lock`);
    if (pullLock === undefined) throw busy(options.store);
    try {
      return { version, unchanged: !(await replace(remote, version, options)), problems, traffic };
    } finally {
      removePart(options.store);
      pullLock.release();
    }
  } catch (error) {
    throw toDiskFailure(options.store, error);
  }
}

/** Returns the path of the file until it is verified. It is always the same, so that the next run removes what a kill left. */
function partOf(store: string): string {
  return `${store}.pull`;
}

function removePart(store: string): void {
  rmSync(`${partOf(store)}.br`, { force: true });
  removeDatabase(partOf(store));
}

function unreadable({ name }: Remote, number: number, older: StoreVersion | undefined): Failure {
  return new Failure('bad-store', `the newest commit at ${name} cannot be read: it may have a newer version`, {
    place: { file: commitPath(number) },
    expected: 'a commit that palimpsest wrote',
    found: 'a damaged file',
    hint: `restore that file from a copy, or pull an older version with --number${older === undefined ? '' : ` ${older.number}`}; nothing was changed`,
  });
}

/** @param versions newest first */
function chosenVersion(
  { name }: Remote,
  versions: readonly StoreVersion[],
  { version, allowMissing }: PullOptions,
): StoreVersion | undefined {
  const found = version === undefined ? versions[0] : versions.find(({ number }) => number === version);
  const isEmpty = versions.length === 0;
  if (found !== undefined || (isEmpty && allowMissing)) return found;
  throw new Failure('no-store', isEmpty ? `${name} has no store` : `${name} does not keep version ${version}`, {
    expected: isEmpty ? 'a store that palimpsest store push sent there' : `one of ${versions.map(({ number }) => number).join(', ')}`,
    found: isEmpty ? 'no versions of a store' : `${version}`,
    hint: isEmpty
      ? 'check the address and --prefix; only in the very first run, add --allow-missing'
      : hint`run ${suggested('store versions')} to see the versions`,
  });
}

/** Replaces the local store, unless it is that version. Returns whether it was replaced. */
async function replace(remote: Remote, version: StoreVersion, options: PullOptions): Promise<boolean> {
  const { store, signal } = options;
  const { kept } = remote.policy;
  const progress = (phase: PullPhase, all: number) => (done: number) => {
    options.onProgress?.(phase, done, all);
    if (signal.aborted) throw stopped(kept);
  };
  removePart(store);
  const here = await imageAt(store);
  try {
    if (here !== undefined && (await hasBytesOf(version, here, progress('compare', here.bytes)))) return false;
    const isAhead = here !== undefined && here.state.revision > version.revision;
    if (isAhead && !options.replace) throw diverged(remote, store, here.state, version);
    const packed = `${partOf(store)}.br`;
    const isWhole = await fetchVersion(remote, version, packed, progress('fetch', version.bytes));
    if (!isWhole) throw damaged(remote, version, 'no file, or other bytes');
    const sha256 = await decompress(packed, partOf(store), progress('decompress', version.store_bytes));
    if (sha256 !== version.store_sha256) throw damaged(remote, version, `a store with the SHA-256 ${sha256}`);
    const there = await StoreImage.open(partOf(store));
    try {
      // opening the file can have added a revision, if an earlier version of palimpsest wrote it
      if (!there.descendsFrom(stateOfVersion(version))) throw damaged(remote, version, `the fingerprint ${there.state.fingerprint}`);
      if (here !== undefined && !options.replace && !there.descendsFrom(here.state)) throw diverged(remote, store, here.state, version);
    } finally {
      there.close();
    }
  } finally {
    here?.close();
  }
  if (signal.aborted) throw stopped(kept);
  replaceStore(store, partOf(store), here?.state);
  return true;
}

/** Opens the local store; undefined if it does not exist or is empty. */
async function imageAt(store: string): Promise<StoreImage | undefined> {
  try {
    return await StoreImage.open(store);
  } catch (error) {
    if (error instanceof Failure && error.code === 'no-store') return undefined;
    throw error;
  }
}

function damaged({ name }: Remote, { number, file }: StoreVersion, found: string): Failure {
  return new Failure('bad-store', `version ${number} at ${name} is damaged`, {
    place: { file },
    expected: 'the bytes that were pushed',
    found,
    hint: hint`pull an earlier version with --number (run ${suggested('store versions')} to see the versions); the local store is unchanged`,
  });
}

function busy(store: string): Failure {
  return new Failure('store-busy', `another pull is writing ${store}`, {
    place: { file: store },
    expected: 'one pull at a time',
    found: 'the lock of another process',
    hint: 'wait until the other pull has ended, then pull again',
  });
}

function diverged({ name }: Remote, store: string, here: StoreState, version: StoreVersion): Failure {
  const isSame = here.fingerprint === version.store;
  return new Failure('store-diverged', `version ${version.number} at ${name} does not descend from ${store}`, {
    place: { file: store },
    expected: 'a store from which that version descends, or no store',
    found: isSame
      ? 'a store with the same records and accounts, from which that version does not descend'
      : `a store with ${plural(here.records, 'record')} that has changes of its own, or that another program changed`,
    hint: `pull to another file with --store, or discard ${isSame ? 'the times at which accounts were observed' : 'the data and the removals of this store'} with --replace; nothing was changed`,
  });
}
