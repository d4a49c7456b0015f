import { hash } from 'node:crypto';
import { Failure } from '../contract/failure.ts';
import type { ListedObject } from '../storage/object-source.ts';
import type { Remote } from '../storage/remote.ts';
import { refuseOtherForm } from '../storage/target-form.ts';
import {
  type Commit,
  commitNumbers,
  commitPath,
  HEAD,
  numbered,
  parseCommit,
  pathBefore,
  VERSIONS,
  type Version,
  type VersionKind,
  type Withdrawn,
} from './commit-format.ts';

/** How many numbers before the newest are listed if nothing else asks for all: one page of a listing has 1,000 objects. */
const WINDOW = 450;

export interface Known<V extends Version> {
  readonly commit: Commit<V>;
  readonly bytes: Buffer;
}

/** What a target has: its newest commit, and what is to be repaired. */
export interface Found<V extends Version> {
  /** The newest commit that can be read; undefined if the target has none. */
  readonly newest: Known<V> | undefined;
  /** The highest number in use. It is higher than that of `newest` if commits above cannot be read, or are missing. */
  readonly top: number;
  /** The SHA-256 of the commit `top`; null if the target has none. */
  readonly topDigest: string | null;
  /** The objects below `versions/`, of the newest numbers or of all. */
  readonly listed: readonly ListedObject[];
  /** The lowest number whose objects are listed. */
  readonly from: number;
  readonly isHeadCurrent: boolean;
  /** The newest commit, with its bytes, if it is missing or damaged; and the missing ones above it, which get commits that change nothing. */
  readonly repairs: readonly { readonly number: number; readonly bytes: Buffer | undefined; readonly isDamaged: boolean }[];
  /** What is wrong, for messages. */
  readonly problems: readonly string[];
}

export interface ReadOptions {
  /** The newest commit that this publisher knows of the target. */
  readonly remembered: Buffer | undefined;
  /** Which numbers are listed. */
  readonly listing: 'newest' | 'all';
}

/**
 * Reads the newest commit of a target: its head, and a listing, which shows whether the head is old.
 * @throws Failure other-form, not-ours, target-failed, target-denied, stopped
 */
export async function readNewest<V extends Version>(
  remote: Remote,
  kind: VersionKind<V>,
  { remembered, listing }: ReadOptions,
): Promise<Found<V>> {
  const fetched = await remote.get(HEAD);
  const head = known(kind, HEAD, fetched?.bytes);
  const from = head === undefined || listing === 'all' ? 0 : Math.max(0, head.commit.number - WINDOW);
  const listed = await remote.list(VERSIONS, pathBefore(from));
  const objects = new Map(listed.map((one) => [one.path, one]));
  const commits = commitNumbers(listed);
  const copies = [head, known(kind, HEAD, remembered)].filter((one) => one !== undefined);

  const problems: string[] = [];
  const repairs: { number: number; bytes: Buffer | undefined; isDamaged: boolean }[] = [];
  const numbers = [...new Set([...commits, ...copies.map(({ commit }) => commit.number)])].toSorted((one, other) => other - one);
  const [top = 0] = numbers;
  let topBytes: Buffer | undefined;
  let newest: Known<V> | undefined;
  for (const number of numbers) {
    const path = commitPath(number);
    const object = objects.get(path);
    const isThere = ({ file, number: version }: V) => version < from || objects.has(file);
    const same = copies.filter(({ commit }) => commit.number === number);
    const isCopied =
      head !== undefined &&
      same.includes(head) &&
      object !== undefined &&
      isSame(
        object,
        head,
        fetched?.tag ?? '',
        head.commit.versions.every(isThere) && head.commit.versions.some(({ file }) => objects.has(file)),
      );
    const stored = isCopied ? head.bytes : object && (await remote.get(path))?.bytes;
    const read = known(kind, path, stored);
    if (object !== undefined && read === undefined) problems.push(`${path} is damaged`);
    // a copy whose data is gone is that of an emptied target, or of another one; without commits, the head lists what is lost
    const copy = same.find((one) => {
      const { versions } = one.commit;
      if (one === head && commits.length === 0) return true;
      return object === undefined || read !== undefined ? versions.every(isThere) : versions.length === 0 || versions.some(isThere);
    });
    // without conditional writes, two runs may have written one commit: readers have seen the head
    const isOther = copy !== undefined && copy === head && copy.commit.previous === read?.commit.previous;
    newest = read === undefined || isOther ? copy : read;
    if (number === top) topBytes = newest?.bytes ?? stored;
    if (newest === undefined) continue;
    if (stored?.equals(newest.bytes) !== true) repairs.push({ number, bytes: newest.bytes, isDamaged: object !== undefined });
    if (object === undefined) problems.push(`${path} is missing`);
    break;
  }
  const isForeign = fetched !== undefined && head === undefined && top === 0;
  // a first run that was killed leaves data with the number 1 only
  const orphan = listed.find(({ path }) => (numbered(path)?.number ?? 0) > 1)?.path;
  const unlisted = isForeign ? HEAD : commits.length > 0 ? commitPath(top) : orphan;
  if (newest === undefined && unlisted !== undefined) throw unreadable(remote, unlisted);
  // a commit below the newest one stays missing: another one there would break the chain
  const last = Math.max(newest?.commit.number ?? 0, ...commits);
  for (let number = last + 1; number <= top; number += 1) repairs.push({ number, bytes: undefined, isDamaged: false });
  if (fetched === undefined && top > 0) problems.push(`${HEAD} is missing`);
  if (fetched !== undefined && head === undefined) problems.push(`${HEAD} is damaged`);
  const isHeadCurrent = newest !== undefined && head?.bytes.equals(newest.bytes) === true && newest.commit.number === top;
  if (head !== undefined && head.commit.number < top) problems.push(`${HEAD} is older than ${commitPath(top)}`);
  return {
    newest,
    top,
    topDigest: topBytes === undefined ? null : hash('sha256', topBytes),
    listed,
    from,
    isHeadCurrent,
    repairs: repairs.toSorted((one, other) => one.number - other.number),
    problems,
  };
}

export interface VersionList<V extends Version> {
  /** Newest first. */
  readonly versions: readonly V[];
  /** Newest first. The numbers that were withdrawn last. */
  readonly withdrawn: readonly Withdrawn[];
  /** What is wrong at the target. The next run that writes there repairs it. */
  readonly problems: readonly string[];
  /** The number of the newest commit if it cannot be read: the versions are those of an older commit. */
  readonly unread: number | undefined;
}

/**
 * Returns the versions that a target has. Writes nothing.
 * @throws Failure other-form, not-ours, target-failed, target-denied, stopped
 */
export async function listVersions<V extends Version>(remote: Remote, kind: VersionKind<V>): Promise<VersionList<V>> {
  const found = await readNewest(remote, kind, { remembered: undefined, listing: 'newest' });
  const { newest, top } = found;
  if (newest === undefined) await refuseOtherForm(remote, kind.name);
  const { versions = [], withdrawn = [] } = newest?.commit ?? {};
  const unread = newest !== undefined && newest.commit.number < top ? top : undefined;
  const problems = [...found.problems, ...versions.filter((one) => isMissing(found, one)).map(missingData)];
  return { versions: versions.toReversed(), withdrawn: withdrawn.toReversed(), problems, unread };
}

/**
 * Whether an object has the bytes of the head, as far as a listing shows. Some tags are the MD5 of the bytes. Without such tags, the
 * target has the files that the head lists: the head of another target lists others.
 */
function isSame({ size, tag }: ListedObject, head: Known<Version>, headTag: string, hasFiles: boolean): boolean {
  const isDigest = (one: string) => /^"?[0-9a-f]{32}"?$/.test(one);
  return size === head.bytes.length && (isDigest(tag) && isDigest(headTag) ? tag === headTag : hasFiles);
}

/** Whether the listing shows that the data of a version is missing, or has another length. */
export function isMissing<V extends Version>({ listed, from }: Found<V>, { number, file, bytes }: V): boolean {
  return number >= from && !listed.some(({ path, size }) => path === file && size === bytes);
}

/** Says that {@link isMissing}, for messages. */
export function missingData({ file }: Version): string {
  return `${file} is missing or has another length`;
}

/** Parses a commit. Returns undefined if it is missing or damaged. */
export function known<V extends Version>(kind: VersionKind<V>, path: string, bytes: Buffer | undefined): Known<V> | undefined {
  const commit = bytes === undefined ? undefined : parseCommit(kind, path, bytes);
  return bytes === undefined || commit === undefined ? undefined : { commit, bytes };
}

function unreadable(remote: Remote, file: string): Failure {
  return new Failure('not-ours', `no commit of the versions at ${remote.name} can be read`, {
    place: { file },
    expected: 'commits that palimpsest wrote',
    found: 'data without commits, damaged commits, or files of another program',
    hint: 'restore the folder versions/ from a copy, or name another target; nothing was changed',
  });
}
