import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { plural } from '../contract/amounts.ts';
import { type OnProgress, stopped } from '../contract/event-loop-pauses.ts';
import { Failure } from '../contract/failure.ts';
import { WHOLE_BYTES } from '../storage/file-upload.ts';
import { openRemote, type Remote, type RemoteOptions } from '../storage/remote.ts';
import { lockTarget, type Target } from '../storage/target.ts';
import { refuseOtherForm } from '../storage/target-form.ts';
import type { Lock } from '../store/database/lock-file.ts';
import { toDiskFailure } from '../store/database/store-error.ts';
import { StoreImage } from '../store/store-image.ts';
import { VERSION } from '../version.ts';
import { changeVersions, type Written } from '../versions/change-versions.ts';
import { type Found, isMissing, missingData, readNewest } from '../versions/newest-commit.ts';
import { refuseRemains } from '../versions/prune.ts';
import { type KeepPolicy, keptVersions, timeAfter } from '../versions/retention.ts';
import { type NextList, refuseFuture } from '../versions/write-commit.ts';
import { DESPITE_TIME, diverged, overtaken } from './push-failures.ts';
import { refusePublicTarget } from './refuse-public-target.ts';
import { type CompressedStore, compress, hasBytesOf, STORE_KIND, type StoreVersion, stateOfVersion } from './store-version.ts';

/** The phases of a push. They count bytes of the store, or of the compressed store. `check` is one step of SQLite. */
export type PushPhase = 'read' | 'check' | 'compress' | 'send' | 'compare';

export interface PushOptions extends RemoteOptions {
  /** The path of the store. */
  readonly store: string;
  /** The parents of the target, which must not be a site either. */
  readonly around: readonly Target[];
  /** Which versions the target keeps. */
  readonly keep: KeepPolicy;
  /** Whether the target also deletes versions if it already has this store. */
  readonly deletesUnchanged: boolean;
  /** Whether to push a store even if it does not descend from the newest version. */
  readonly replace: boolean;
  /** Whether to push to a target whose conditional writes are not proved. */
  readonly singlePublisher: boolean;
  /** Whether to write nothing, and only return what a push would do. */
  readonly dryRun: boolean;
  readonly onProgress?: OnProgress<PushPhase> | undefined;
}

export interface PushSummary extends Pick<Written<StoreVersion>, 'isConditional' | 'problems'> {
  /** The newest version at the target; undefined if a dry run finds none. */
  readonly version: StoreVersion | undefined;
  /** Whether the target had no version. */
  readonly isNew: boolean;
  /** Whether the target already had this version. */
  readonly unchanged: boolean;
  /** How many bytes the push sent, or would send of the store. */
  readonly bytes: number;
  /** How many versions the target keeps, and how many the push deleted. */
  readonly kept: number;
  readonly deleted: number;
  readonly traffic: Remote['traffic'];
}

/**
 * Sends a store to a target as its newest version: one compressed file, which is read back before the version is listed. A push that
 * ends early leaves all versions unchanged.
 * @throws Failure store-diverged, other-form, no-conditions, not-ours, no-store, bad-store, store-older, store-newer, store-busy, target-busy,
 * target-failed, target-denied, not-removed, stopped, file-system
 */
export async function push(target: Target, options: PushOptions): Promise<PushSummary> {
  const kept = `the versions at ${target.name} are unchanged`;
  const remote = openRemote(target, { ...options, kept });
  const image = await StoreImage.open(options.store);
  let targetLock: Lock | undefined;
  const progress = (phase: PushPhase, all: number) => (done: number) => {
    options.onProgress?.(phase, done, all);
    if (options.signal.aborted) throw stopped(kept);
  };
  let compressed: CompressedStore | undefined;
  const prepare = async (): Promise<CompressedStore> => {
    options.onProgress?.('check', 0, 0);
    // a pause, so that the phase is shown before SQLite blocks
    await setImmediate();
    image.check();
    return compress(image, progress('compress', image.bytes));
  };
  let [sent, deleted, unchanged, isNew] = [0, 0, false, false];
  let based: number | undefined;
  let lost: readonly StoreVersion[] = [];
  const decide = async (found: Found<StoreVersion>): Promise<NextList<StoreVersion> | undefined> => {
    const versions = found.newest?.commit.versions ?? [];
    const newest = versions.at(-1);
    isNew = newest === undefined;
    const isLost = newest !== undefined && isMissing(found, newest);
    lost = isLost ? versions.filter((one) => isMissing(found, one)) : [];
    const sound = versions.filter((one) => !lost.includes(one));
    // in a folder also later, because a site can be published around a store. In a bucket that takes too many requests
    if (newest === undefined || target.names !== undefined) {
      const around = options.around.map((place) => openRemote(place, { ...options, kept }));
      await refusePublicTarget(remote, around, target.names?.() ?? []);
    }
    unchanged = newest !== undefined && !isLost && (await hasBytesOf(newest, image, progress('read', image.bytes)));
    const stay = unchanged && !options.deletesUnchanged ? sound : staying(sound, options.keep, !unchanged);
    deleted = sound.length - stay.length;
    const notBefore = options.replace ? undefined : newest?.time;
    if (unchanged) return deleted === 0 ? undefined : { change: 'keep', notBefore, kept: stay, added: [] };
    refuseFuture(remote, notBefore, [DESPITE_TIME]);
    const last = sound.at(-1);
    if (last !== undefined && !image.descendsFrom(stateOfVersion(last))) {
      if (compressed !== undefined && newest?.number !== based) throw overtaken(remote, image, versions, based);
      if (!options.replace) throw diverged(remote, image, sound, last);
    }
    based = newest?.number;
    compressed ??= await prepare();
    sent = 0;
    const { descriptor, close: _, ...facts } = compressed;
    const { fingerprint: store, ...counts } = image.state;
    const version = { ...facts, ...counts, store, palimpsest: VERSION, schema: image.schema };
    const check = (file: string) => readBack(remote, { file, ...facts }, progress('compare', facts.bytes));
    const file = { descriptor, size: facts.bytes };
    const { sha256 } = facts;
    return {
      change: 'publish',
      notBefore,
      kept: stay,
      added: [{ file, sha256, version: (published) => ({ ...published, ...version }), check }],
    };
  };
  const onSent = (bytes: number) => {
    sent += bytes;
    options.onProgress?.('send', sent, compressed?.bytes ?? sent);
  };
  try {
    if (options.dryRun) {
      const found = await readNewest(remote, STORE_KIND, { remembered: undefined, listing: 'newest' });
      if (found.top === 0) await refuseOtherForm(remote, STORE_KIND.name);
      const next = await decide(found);
      const versions = found.newest?.commit.versions ?? [];
      const stay = next === undefined ? versions.length : next.kept.length + next.added.length;
      const facts = { version: versions.at(-1), isNew, unchanged, kept: stay, deleted, bytes: compressed?.bytes ?? 0 };
      return { ...facts, traffic: remote.traffic, isConditional: undefined, problems: found.problems };
    }
    targetLock = lockTarget(target);
    // keeping only the newest version is part of a removal: then everything that earlier runs left must go, too
    const isThorough = options.keep.last === 1 && Object.values(options.keep).filter((rule) => rule !== undefined).length === 1;
    const { newest, commit, isConditional, problems, left } = await changeVersions(remote, STORE_KIND, {
      decide,
      memory: undefined,
      singlePublisher: options.singlePublisher,
      isThorough,
      onSent,
    });
    const versions = (commit ?? newest?.commit)?.versions ?? [];
    const version = versions.at(-1);
    if (version === undefined) throw new Error('the target has no version after the push');
    if (isThorough) refuseRemains(remote, left);
    const all = [...problems, ...lost.map(missingData)];
    const facts = { version, isNew, unchanged, kept: versions.length, deleted, bytes: remote.traffic.sent };
    return { ...facts, traffic: remote.traffic, isConditional, problems: all };
  } catch (error) {
    throw toDiskFailure(options.store, error);
  } finally {
    targetLock?.release();
    compressed?.close();
    image.close();
  }
}

/**
 * Returns the versions that stay. None stays only because it was current in the last day: no reader is in the middle of one.
 * @param hasNext whether another version follows
 */
function staying(versions: readonly StoreVersion[], keep: KeepPolicy, hasNext: boolean): readonly StoreVersion[] {
  const next = hasNext ? [{ time: new Date(timeAfter(versions.at(-1)?.time)).toISOString() }] : [];
  const kept = new Set<object>(keptVersions([...versions, ...next], keep, Date.now(), undefined));
  return versions.filter((version) => kept.has(version));
}

/** @throws Failure target-failed if the target returns other bytes than were sent */
async function readBack(
  { name, get }: Remote,
  { file, bytes, sha256 }: Pick<StoreVersion, 'file' | 'bytes' | 'sha256'>,
  onRead: (done: number) => void,
): Promise<void> {
  const found = createHash('sha256');
  for (let from = 0; from < bytes; from += WHOLE_BYTES) {
    const to = Math.min(bytes, from + WHOLE_BYTES);
    found.update((await get(file, { from, to }))?.bytes ?? '');
    onRead(to);
  }
  if (found.digest('hex') === sha256) return;
  throw new Failure('target-failed', `${name} does not return the bytes that were written`, {
    place: { file },
    expected: `the ${plural(bytes, 'byte')} that were sent`,
    found: 'other bytes, or no object',
    hint: 'check the target, then push again; its versions are unchanged',
  });
}
