import { hash } from 'node:crypto';
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { Failure } from '../../contract/failure.ts';
import { isLaterTime, timeAfter } from '../../contract/file-time.ts';
import { lock } from '../../store/lock.ts';
import { mkdirp } from '../../store/mkdirp.ts';
import { StorageError } from '../storage-error.ts';
import type { Condition, Fetched, ObjectHead, Target, TargetKind, Upload } from '../target.ts';

/** A folder, that a web server on this machine or another answers from. It keeps no headers. */
export const folder: TargetKind = {
  scheme: '',
  open: async (address) => new FolderTarget(address.name, join(address.container, address.prefix)),
};

/** What a file is called while it is written: the same again after a kill. */
const PARTIAL = '.partial';

class FolderTarget implements Target {
  readonly name: string;
  readonly prices = { write: 0, read: 0 };
  readonly keepsHeaders = false;
  readonly #folder: string;

  constructor(name: string, path: string) {
    this.name = name;
    this.#folder = path;
  }

  check(out: string): void {
    refuseFile(this.#folder);
    const tree = placeOf(out);
    const pages = placeOf(this.#file('rest'));
    const isApart = !isIn(placeOf(this.#folder), tree) && !isIn(pages, tree) && !isIn(tree, pages);
    if (!isApart) throw notOurs(this.#folder, 'a folder apart from the tree', `a folder that shares files with the tree in ${out}`);
  }

  names(): readonly string[] {
    return existsSync(this.#folder) ? readdirSync(this.#folder) : [];
  }

  async get(path: string): Promise<Fetched | undefined> {
    const file = this.#file(path);
    this.#refuseOutside(file);
    const bytes = await found(file, () => readRegularFile(file));
    return bytes === undefined ? undefined : { bytes, contentEncoding: '', tag: hash('sha256', bytes) };
  }

  async head(path: string): Promise<ObjectHead | undefined> {
    const fetched = await this.get(path);
    return fetched === undefined ? undefined : { digest: fetched.tag, holds: undefined, headers: undefined };
  }

  async put(path: string, upload: Upload, _: AbortSignal, condition?: Condition): Promise<string> {
    const file = this.#file(path);
    const write = async () => {
      try {
        // what a killed run left there, or a link, which is not to be written through
        await rm(file + PARTIAL, { force: true });
        await writeFile(file + PARTIAL, upload.bytes, { flag: 'wx' });
        await setTime(file + PARTIAL, file);
        await rename(file + PARTIAL, file);
      } catch (error) {
        await rm(file + PARTIAL, { force: true }).catch(() => {});
        throw error;
      }
    };
    try {
      this.#refuseOutside(dirname(file));
      mkdirp(dirname(file));
      if (condition === undefined) await write();
      else await this.#exclusively(file, path, condition, write);
    } catch (error) {
      throw error instanceof Failure ? error : unusable(file, error);
    }
    return hash('sha256', upload.bytes);
  }

  async remove(path: string): Promise<void> {
    const file = this.#file(path);
    this.#refuseOutside(dirname(file));
    await found(file, () => rm(file, { force: true }));
    // a page’s folder goes with its last file
    await rmdir(dirname(file)).catch(() => {});
  }

  renew(): void {}

  close(): void {}

  #file(path: string): string {
    return join(this.#folder, path);
  }

  /**
   * Refuses a file or folder below this one that a link leads out of it. This one may be a link itself.
   * @throws Failure not-ours
   */
  #refuseOutside(path: string): void {
    const place = placeOf(path);
    const folder = placeOf(this.#folder);
    if (isIn(place, folder)) return;
    throw new Failure('not-ours', `a link at ${path} leads out of ${this.#folder}`, {
      place: { file: path },
      expected: 'files and folders of this folder’s own',
      found: `a link to ${place}`,
      hint: 'remove the link, or publish to another folder; nothing was written through it',
    });
  }

  /** Looks and writes while no other process does either. */
  async #exclusively(file: string, path: string, condition: Condition, write: () => Promise<void>): Promise<void> {
    const held = lock(`${file}.lock`);
    if (held === undefined) throw new StorageError('transient', `another process is at ${path}`);
    try {
      const there = await this.get(path);
      if (there?.tag !== (condition === 'absent' ? undefined : condition.tag))
        throw new StorageError('conflict', `${path} is another version`);
      await write();
    } finally {
      held.release();
    }
  }
}

/** Gives a file a later time than the one that it replaces: web servers make ETags of it. */
async function setTime(partial: string, replaced: string): Promise<void> {
  const [now, before] = await Promise.all([stat(partial), stat(replaced).catch(() => undefined)]);
  if (before === undefined || isLaterTime(now.mtimeMs, before.mtimeMs)) return;
  const time = timeAfter(before.mtimeMs);
  await utimes(partial, time, time);
}

function refuseFile(folder: string): void {
  const nearest = nearestOf(resolve(folder));
  if (!statSync(nearest).isDirectory())
    throw notOurs(folder, 'a folder, or nothing', nearest === resolve(folder) ? 'a file' : `a file at ${nearest}`);
}

/** What is there of a path, as far as it is. */
function nearestOf(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestOf(dirname(path));
}

/** The real path of a folder that may not be there yet. */
function placeOf(folder: string): string {
  const path = resolve(folder);
  try {
    return realpathSync.native(path);
  } catch {
    return path === dirname(path) ? path : join(placeOf(dirname(path)), basename(path));
  }
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function notOurs(folder: string, expected: string, found: string): Failure {
  return new Failure('not-ours', `cannot publish to ${folder}`, {
    place: { file: folder },
    expected,
    found,
    hint: 'publish to another folder; nothing was touched',
  });
}

/** A file's bytes. A pipe, which reading would wait for, is refused. */
async function readRegularFile(file: string): Promise<Buffer> {
  if ((await stat(file)).isFile()) return readFile(file);
  throw notOurs(file, 'a file, or nothing', 'something that is no regular file');
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

/** What came of a call; undefined where there was no such file. */
async function found<T>(file: string, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (ABSENT.has(codeOf(error))) return undefined;
    throw error instanceof Failure ? error : unusable(file, error);
  }
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);

/** What the system says, with what helps: it is the machine's, and no store to be asked again. Any other error as it is. */
function unusable(file: string, error: unknown): unknown {
  if (codeOf(error) === '') return error;
  return new Failure('file-system', `cannot read or write ${file}`, {
    place: { file },
    expected: 'a folder that can be written and has room',
    found: error instanceof Error ? error.message : String(error),
    hint: FULL.has(codeOf(error))
      ? 'free some space, then run the same command again'
      : 'look at the path and its permissions, then run the same command again',
    cause: error,
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
