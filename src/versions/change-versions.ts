import { hash, randomBytes } from 'node:crypto';
import { VERSIONS_MARKER } from '../contract/files/markers.ts';
import { noConditions, provesCreate, provesRace } from '../storage/conditional-write-proof.ts';
import { WHOLE_BYTES } from '../storage/file-upload.ts';
import type { ListedObject } from '../storage/object-source.ts';
import type { Remote } from '../storage/remote.ts';
import { targetBusy } from '../storage/target.ts';
import { refuseOtherForm } from '../storage/target-form.ts';
import {
  type Commit,
  commitNumbers,
  commitPath,
  dataPath,
  encodeCommit,
  HEAD,
  numbered,
  pathBefore,
  VERSIONS,
  type Version,
  type VersionKind,
} from './commit-format.ts';
import { type Found, type Known, known, readNewest } from './newest-commit.ts';
import { leftoversIn, prune } from './prune.ts';
import { commitOf, commitUpload, create, type NextList, unchanged, uploadOf, writeNext } from './write-commit.ts';

/** How often a run begins again because another run got the next number. */
const ATTEMPTS = 8;
/** What a publisher remembers of a target: the newest commit. */
export interface Memory {
  readonly read: () => Buffer | undefined;
  readonly write: (commit: Buffer) => void;
}

export interface WriteOptions<V extends Version> {
  /** Returns the next list; undefined if nothing changes. Called again if another run was first. */
  readonly decide: (found: Found<V>) => Promise<NextList<V> | undefined>;
  readonly memory: Memory | undefined;
  /** Whether to write at a store whose conditions are not proved. */
  readonly singlePublisher: boolean;
  /** Whether to look for everything that earlier runs left, and to delete it all. */
  readonly isThorough: boolean;
  readonly onSent?: ((bytes: number) => void) | undefined;
}

export interface Written<V extends Version> {
  /** The newest commit after the run. Undefined if the target has none. */
  readonly newest: Known<V> | undefined;
  /** The commit of this run; undefined if nothing changed. */
  readonly commit: Commit<V> | undefined;
  /** Undefined if nothing was written. */
  readonly isConditional: boolean | undefined;
  /** The number of deleted objects and uploads. */
  readonly deleted: number;
  /** What is no longer needed and could not be deleted in this run. */
  readonly left: readonly string[];
  /** What was wrong at the target, and is repaired. */
  readonly problems: readonly string[];
}

/**
 * Changes the versions of a target: sends the data, then writes the next commit, which only one run can, then the head. Nothing
 * that another run needs is overwritten, so a run that ends early leaves the target as it was.
 * @throws Failure other-form, no-conditions, target-busy, not-ours, target-failed, target-denied, stopped, file-system; those of `decide`
 */
export async function changeVersions<V extends Version>(
  remote: Remote,
  kind: VersionKind<V>,
  options: WriteOptions<V>,
): Promise<Written<V>> {
  const { decide, memory, singlePublisher, isThorough } = options;
  const last = remote.with({ signal: undefined });
  const problems = new Set<string>();
  let isConditional: boolean | undefined;
  let deleted = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const remembered = memory?.read();
    const found = await readNewest(remote, kind, { remembered, listing: isThorough || singlePublisher ? 'all' : 'newest' });
    const decided = await decide(found);
    for (const problem of found.problems) problems.add(problem);
    const { newest, top, listed } = found;
    const leftovers = leftoversIn(pathsOf(listed), newest?.commit.versions ?? []);
    const uploads = isThorough && top > 0 ? ((await remote.openUploads?.(VERSIONS)) ?? []) : [];
    const isAbove = ({ path }: { readonly path: string }) => (numbered(path)?.number ?? 0) > top;
    const isUnread = newest !== undefined && newest.commit.number < top && found.repairs.length === 0;
    // what has the next number can only be deleted when the number is given
    const needsCommit = isUnread || (newest !== undefined && [...leftovers, ...uploads].some(isAbove));
    const next = decided ?? (needsCommit ? unchanged(newest) : undefined);
    const isClean = newest === undefined || (found.isHeadCurrent && leftovers.length === 0 && !isThorough);
    if (next === undefined && found.repairs.length === 0 && isClean) {
      if (newest !== undefined && remembered?.equals(newest.bytes) !== true) memory?.write(newest.bytes);
      return { newest, commit: undefined, isConditional, deleted, left: [], problems: [...problems] };
    }
    if (isConditional === undefined) {
      isConditional = await prove(remote, kind.name, found, singlePublisher);
      // without conditions, only what an earlier run left is deleted
      if (!isConditional && newest?.commit.number === top) {
        const pruned = { withdrawn: new Set<string>(), isThorough, abortsUploads: true };
        deleted += await prune(remote, kind, newest, listed, pruned);
      }
    }
    if (found.repairs.length > 0) {
      await repairCommits(last, kind, found, isConditional);
      continue;
    }
    const commit = next && (await writeNext(remote, kind, found, next, isConditional, options.onSent));
    if (next !== undefined && commit === undefined) continue;
    const current = commit ?? newest;
    if (current === undefined) throw new Error('there is nothing to copy');
    // not a newer commit of another run: no run of this store has searched its versions for removed accounts
    memory?.write(current.bytes);
    const withdrawn = new Set((newest?.commit.versions ?? []).map(({ file }) => file));
    const after = await copyToHead(last, kind, current, isConditional ? listed : undefined);
    const { versions } = after.newest.commit;
    if (isConditional && after.isReadable) {
      const abortsUploads =
        isThorough ||
        [...versions, ...(next?.added ?? []).map(({ file }) => ({ bytes: file.size }))].some(({ bytes }) => bytes > WHOLE_BYTES);
      deleted += await prune(last, kind, after.newest, after.listed, { withdrawn, isThorough, abortsUploads });
    }
    const left = isConditional ? [] : pathsOf(leftoversIn(pathsOf(after.listed), versions));
    return { newest: after.newest, commit: commit?.commit, isConditional, deleted, left, problems: [...problems] };
  }
  throw targetBusy(remote, `another run got the next number ${ATTEMPTS} times`);
}

/**
 * Proves that the store refuses to create the marker of the target again. At a new target, or after a commit without proved conditions,
 * it also proves that one of several creates wins.
 * @throws Failure no-conditions, other-form
 */
async function prove(
  remote: Remote,
  name: VersionKind<Version>['name'],
  { top, newest }: Found<Version>,
  singlePublisher: boolean,
): Promise<boolean> {
  const isNew = top === 0;
  const isUnproved = newest?.commit.conditional === false;
  if (isNew) await refuseOtherForm(remote, name);
  const upload = uploadOf(Buffer.from(`{"palimpsest":"${name}"}\n`), 'application/json', 'public, max-age=3600');
  const wins = () => provesRace(remote, dataPath(0, randomBytes(6).toString('hex'), '.proof'), upload);
  // the prune of another first run may delete the object in the middle of the race
  const isProved = (await provesCreate(remote, VERSIONS_MARKER, upload)) && (!(isNew || isUnproved) || (await wins()) || (await wins()));
  if (isProved) return true;
  if (!singlePublisher) {
    if (isNew) await remote.remove(VERSIONS_MARKER);
    throw noConditions(remote);
  }
  // not every store has written it
  await remote.put(VERSIONS_MARKER, upload);
  return false;
}

/** Writes the newest commit again. Fills the gap above it with commits that change nothing. */
async function repairCommits<V extends Version>(
  last: Remote,
  kind: VersionKind<V>,
  { newest, repairs }: Found<V>,
  isConditional: boolean,
): Promise<void> {
  for (const { number, bytes, isDamaged } of repairs) {
    const before = number === 1 ? undefined : (await last.get(commitPath(number - 1)))?.bytes;
    const previous = before === undefined ? null : hash('sha256', before);
    const options = { previous, files: [], isConditional };
    const written = bytes ?? encodeCommit(commitOf(kind, newest?.commit, unchanged(newest), number, options));
    await create(last, number, commitUpload(kind, written), isConditional && !isDamaged);
  }
}

/**
 * Copies the newest commit to the head, and again if there is a newer one: a run that was paused must not leave an old head.
 * @param before the objects before the commit; undefined if a run at the same time may have written others
 */
async function copyToHead<V extends Version>(
  last: Remote,
  kind: VersionKind<V>,
  commit: Known<V>,
  before: readonly ListedObject[] | undefined,
): Promise<{ readonly newest: Known<V>; readonly listed: readonly ListedObject[]; readonly isReadable: boolean }> {
  for (let newest = commit; ; ) {
    await last.put(HEAD, uploadOf(newest.bytes, 'application/json', kind.cacheControl.head));
    if (!kind.isReadByHead && before !== undefined) return { newest, listed: before, isReadable: true };
    // commits stay for ever: a listing of all would grow
    const after = await last.list(VERSIONS, before && pathBefore(newest.commit.number));
    const top = Math.max(0, ...commitNumbers(after));
    const newer = top > newest.commit.number ? known(kind, commitPath(top), (await last.get(commitPath(top)))?.bytes) : undefined;
    const listed = new Map([...(before ?? []), ...after].map((one) => [one.path, one]));
    if (newer === undefined) return { newest, listed: [...listed.values()], isReadable: top <= newest.commit.number };
    newest = newer;
  }
}

function pathsOf(objects: readonly { readonly path: string }[]): readonly string[] {
  return objects.map(({ path }) => path);
}
