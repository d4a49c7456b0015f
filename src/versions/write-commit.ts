import { hash, randomBytes } from 'node:crypto';
import { Failure } from '../contract/failure.ts';
import type { Hint } from '../contract/hint.ts';
import { DAY_MS } from '../contract/instant.ts';
import { type LocalFile, uploadFile } from '../storage/file-upload.ts';
import type { Remote } from '../storage/remote.ts';
import { storageErrorKind } from '../storage/storage-error.ts';
import { targetBusy, type Upload } from '../storage/target.ts';
import { VERSION } from '../version.ts';
import {
  type Commit,
  type CommitChange,
  commitNumbers,
  commitPath,
  dataPath,
  encodeCommit,
  pathBefore,
  VERSIONS,
  type Version,
  type VersionKind,
} from './commit-format.ts';
import type { Found, Known } from './newest-commit.ts';
import { timeAfter } from './retention.ts';

/** How many withdrawn numbers a commit lists. The others are in the commits before. */
const MAX_WITHDRAWN = 100;

/** A version whose data is still to be sent. */
export interface Draft<V extends Version> {
  /** The local file with the data, and its SHA-256. */
  readonly file: LocalFile;
  readonly sha256: string;
  /** @param published the number of the commit, the path of the data at the target, and the time */
  readonly version: (published: Pick<Version, 'number' | 'file' | 'time'>) => V;
  /**
   * Checks the data at the target before the commit. If it throws, nothing is committed.
   * @param path that of the data at the target
   */
  readonly check?: (path: string) => Promise<void>;
}

/** The list of the next commit. */
export interface NextList<V extends Version> {
  readonly change: CommitChange;
  readonly base_url?: string | undefined;
  /** The earliest time of the commit; undefined: any time. */
  readonly notBefore: string | undefined;
  readonly kept: readonly V[];
  readonly added: readonly Draft<V>[];
}

/** Whether a time is more than a day ahead of the clock. */
export function isFuture(time: string): boolean {
  return Date.parse(time) > Date.now() + DAY_MS;
}

/**
 * Refuses a new version if the newest one has a time more than a day ahead of the clock, because the new one would get that time, too.
 * @param time that of the newest version; undefined if there is none
 * @param wayBack how to go on after a run with a wrong clock
 * @throws Failure future-time
 */
export function refuseFuture({ name }: Remote, time: string | undefined, wayBack: Hint): void {
  if (time === undefined || !isFuture(time)) return;
  throw new Failure('future-time', `the newest version at ${name} is from the future`, {
    place: { file: name },
    expected: `a version with a time up to ${new Date(Date.now() + DAY_MS).toISOString()}, a day after now`,
    found: `a version from ${time}`,
    hint: ['correct the clock of this machine; or, if the clock was wrong in that run, ', ...wayBack, '; nothing was changed'],
  });
}

/** The list of a commit that changes nothing. */
export function unchanged<V extends Version>(newest: Known<V> | undefined): NextList<V> {
  const { base_url, time: notBefore, versions = [] } = newest?.commit ?? {};
  return { change: 'void', base_url, notBefore, kept: versions, added: [] };
}

/** Sends the data and writes the commit. Returns undefined if another run wrote it first. */
export async function writeNext<V extends Version>(
  remote: Remote,
  kind: VersionKind<V>,
  found: Found<V>,
  next: NextList<V>,
  isConditional: boolean,
  onSent: ((bytes: number) => void) | undefined,
): Promise<Known<V> | undefined> {
  const last = remote.with({ signal: undefined });
  const number = found.top + 1;
  const files = next.added.map(() => dataPath(number, randomBytes(6).toString('hex'), kind.suffix));
  const isTaken = async () => commitNumbers(await last.list(VERSIONS, pathBefore(number))).length > 0;
  const giveUp = async () => {
    for (const file of files) await last.remove(file);
    return undefined;
  };
  try {
    for (const [index, { file, sha256, check }] of next.added.entries()) {
      const headers = { contentType: kind.contentType, cacheControl: kind.cacheControl.data, contentEncoding: '' };
      const path = files[index] ?? '';
      await uploadFile(remote, path, file, { headers, digest: sha256 }, onSent);
      await check?.(path);
    }
  } catch (error) {
    const isStopped = error instanceof Failure && error.code === 'stopped';
    // another run that was first may have deleted the data
    const wasFirst = !isStopped && (await isTaken().catch(() => false));
    await giveUp().catch(() => {});
    if (wasFirst) return undefined;
    throw error;
  }
  if (!isConditional && (await isTaken())) return giveUp();
  const commit = commitOf(kind, found.newest?.commit, next, number, { previous: found.topDigest, files, isConditional });
  const bytes = encodeCommit(commit);
  if (!(await create(last, number, commitUpload(kind, bytes), isConditional))) return giveUp();
  if (!isConditional) await refuseOverlap(last, found, number, bytes, files);
  return { commit, bytes };
}

/** Returns the commit with a number. Its list is that of `next`. */
export function commitOf<V extends Version>(
  kind: VersionKind<V>,
  before: Commit<V> | undefined,
  { change, base_url, notBefore, kept, added }: NextList<V>,
  number: number,
  {
    previous,
    files,
    isConditional,
  }: { readonly previous: string | null; readonly files: readonly string[]; readonly isConditional: boolean },
): Commit<V> {
  const time = new Date(timeAfter(notBefore)).toISOString();
  const sent = added.map(({ version }, index) => version({ number, file: files[index] ?? '', time }));
  const versions = [...kept, ...sent].toSorted((one, other) => one.number - other.number);
  const live = new Set(versions.map((version) => version.number));
  const gone = (before?.versions ?? []).filter((version) => !live.has(version.number)).map((version) => ({ number: version.number, time }));
  const withdrawn = [...(before?.withdrawn ?? []), ...gone].toSorted((one, other) => one.number - other.number).slice(-MAX_WITHDRAWN);
  const token = randomBytes(8).toString('hex');
  const conditional = isConditional ? undefined : false;
  return { palimpsest: VERSION, kind: kind.name, number, token, time, previous, change, base_url, conditional, versions, withdrawn };
}

/** Writes a commit. Returns whether the target has it now: the response to an earlier attempt may have been lost. */
export async function create(last: Remote, number: number, upload: Upload, isConditional: boolean): Promise<boolean> {
  try {
    await last.put(commitPath(number), upload, isConditional ? 'absent' : undefined);
    return true;
  } catch (error) {
    if (storageErrorKind(error) !== 'conflict') throw error;
    return (await last.get(commitPath(number)))?.bytes.equals(upload.bytes) === true;
  }
}

/** Without conditions: the last look at whether another run writes at the same time. @throws Failure target-busy */
async function refuseOverlap<V extends Version>(
  last: Remote,
  { listed }: Found<V>,
  number: number,
  bytes: Buffer,
  files: readonly string[],
): Promise<void> {
  const expected = new Set([...listed.map(({ path }) => path), ...files, commitPath(number)]);
  const others = (await last.list(VERSIONS, pathBefore(number))).filter(({ path }) => !expected.has(path));
  const isOwn = (await last.get(commitPath(number)))?.bytes.equals(bytes) === true;
  if (others.length > 0 || !isOwn) throw targetBusy(last, others[0]?.path ?? `another ${commitPath(number)}`);
}

export function commitUpload<V extends Version>({ cacheControl }: VersionKind<V>, bytes: Buffer): Upload {
  return uploadOf(bytes, 'application/json', cacheControl.data);
}

export function uploadOf(bytes: Buffer, contentType: string, cacheControl: string): Upload {
  return { bytes, headers: { contentType, cacheControl, contentEncoding: '' }, digest: hash('sha256', bytes) };
}
