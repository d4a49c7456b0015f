import { hash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf, Failure, fileSystemFailure } from '../../contract/failure.ts';
import { mkdirp, removeEmptyFolders } from '../../contract/files/mkdirp.ts';
import { type Lock, lock } from '../../store/database/lock-file.ts';
import type { ByteRange, ListedObject, ObjectPage } from '../object-source.ts';
import { StorageError } from '../storage-error.ts';
import type { Condition, Fetched, ObjectHead, PartsUpload, Target, TargetKind, Upload } from '../target.ts';
import {
  beginFile,
  createFile,
  fileLockOf,
  isIn,
  nearestOf,
  partialOf,
  placeOf,
  readRange,
  removeTemporary,
  replaceFile,
  TEMPORARY,
} from './folder-file.ts';

/** A folder that a web server serves. It keeps no headers. */
export const folder: TargetKind = {
  scheme: '',
  open: async (address) => new FolderTarget(address.name, join(address.container, address.prefix)),
};

/** The name of the lock of a whole folder. A killed run may leave the file, but not the lock. */
const LOCK = '.palimpsest.lock';

class FolderTarget implements Target {
  readonly name: string;
  readonly prices = { write: 0, read: 0 };
  readonly keepsHeaders = false;
  readonly keepsDeleted = false;
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

  checkFiles(files: Iterable<{ readonly path: string }>): void {
    for (const { path } of files) this.#refuseOutside(this.#file(path));
  }

  names(): readonly string[] {
    return (existsSync(this.#folder) ? readdirSync(this.#folder) : []).filter((name) => name !== TEMPORARY && name !== LOCK);
  }

  lock(): Lock | undefined {
    let created: readonly string[] = [];
    let folderLock: Lock | undefined;
    const release = () => {
      // first, because the next run may create it as soon as it has the lock
      removeEmptyFolders([join(this.#folder, TEMPORARY)]);
      folderLock?.release();
      // a run that wrote nothing leaves no folder
      removeEmptyFolders(created);
    };
    try {
      created = mkdirp(this.#folder);
      folderLock = lock(join(this.#folder, LOCK));
      if (folderLock !== undefined) removeTemporary(this.#folder);
    } catch (error) {
      release();
      refuseFile(this.#folder);
      throw unusable(this.#folder, error);
    }
    return folderLock && { release };
  }

  async get(path: string, _?: AbortSignal, range?: ByteRange): Promise<Fetched | undefined> {
    const file = this.#file(path);
    this.#refuseOutside(file);
    const bytes = await ifExists(file, () => readRegularFile(file, range));
    return bytes === undefined ? undefined : { bytes, contentEncoding: '', tag: hash('sha256', bytes) };
  }

  async head(path: string): Promise<ObjectHead | undefined> {
    const fetched = await this.get(path);
    return fetched === undefined ? undefined : { digest: fetched.tag, headers: undefined };
  }

  async put(path: string, upload: Upload, _: AbortSignal, condition?: Condition): Promise<string> {
    const file = this.#file(path);
    const write = () => replaceFile(file, partialOf(this.#folder, path), upload.bytes);
    const create = () => createFile(file, partialOf(this.#folder, path, randomBytes(6).toString('hex')), upload.bytes);
    await this.#inFolderOf(file, () => {
      if (condition === undefined) return write();
      return condition === 'absent' ? create() : this.#exclusively(path, condition.tag, write);
    });
    return hash('sha256', upload.bytes);
  }

  async beginParts(path: string): Promise<PartsUpload> {
    const file = this.#file(path);
    const upload = await this.#inFolderOf(file, () => beginFile(file, partialOf(this.#folder, path)));
    const refuse = (error: unknown) => Promise.reject(unusable(file, error));
    return {
      put: (part, bytes, signal) => upload.put(part, bytes, signal).catch(refuse),
      complete: (tags, signal) => upload.complete(tags, signal).catch(refuse),
      abort: upload.abort,
    };
  }

  async list(prefix: string, after: string): Promise<ObjectPage> {
    const folder = dirname(`${prefix}_`);
    const place = this.#file(folder);
    this.#refuseOutside(place);
    const names = (await ifExists(place, () => readdir(place))) ?? [];
    const paths = names
      .map((name) => (folder === '.' ? name : `${folder}/${name}`))
      .filter((path) => path.startsWith(prefix) && path > after);
    const objects = await Promise.all(paths.toSorted().map((path) => this.#listed(path)));
    return { objects: objects.flat(), next: undefined };
  }

  async #listed(path: string): Promise<readonly ListedObject[]> {
    const found = await ifExists(this.#file(path), () => stat(this.#file(path)));
    return found?.isFile() ? [{ path, size: found.size, tag: '' }] : [];
  }

  async remove(path: string): Promise<void> {
    const file = this.#file(path);
    this.#refuseOutside(dirname(file));
    await ifExists(file, () => rm(file, { force: true }));
    // removes a folder with its last file
    try {
      for (let path = dirname(file); isIn(path, this.#folder) && path !== this.#folder; path = dirname(path)) await rmdir(path);
    } catch {
      // it has other files
    }
  }

  renew(): void {}

  close(): void {}

  #file(path: string): string {
    return join(this.#folder, path);
  }

  /**
   * Refuses a path that a symlink leads out of this folder. The folder itself may be a symlink.
   * @throws Failure not-ours
   */
  #refuseOutside(path: string): void {
    const place = placeOf(path);
    const folder = placeOf(this.#folder);
    if (isIn(place, folder)) return;
    throw new Failure('not-ours', `${path} is a link out of ${this.#folder}`, {
      place: { file: path },
      expected: `a path inside ${this.#folder}`,
      found: `a link to ${place}`,
      hint: 'remove the link, or use another folder; nothing was changed',
    });
  }

  /** Writes in the folder of a file, which is created if it is missing. */
  async #inFolderOf<T>(file: string, write: () => Promise<T>): Promise<T> {
    let created: readonly string[] = [];
    try {
      const temporary = join(this.#folder, TEMPORARY);
      for (const folder of [dirname(file), temporary]) this.#refuseOutside(folder);
      created = mkdirp(dirname(file));
      mkdirp(temporary);
      return await write();
    } catch (error) {
      removeEmptyFolders(created);
      throw unusable(file, error);
    }
  }

  /** Compares the tag and writes while no other process can do the same. */
  async #exclusively(path: string, tag: string, write: () => Promise<void>): Promise<void> {
    const fileLock = lock(fileLockOf(this.#folder, path));
    if (fileLock === undefined) throw new StorageError('transient', `another process is writing ${path}`);
    try {
      if ((await this.get(path))?.tag !== tag) throw new StorageError('conflict', `${path} has another version`);
      await write();
    } finally {
      fileLock.release();
    }
  }
}

function refuseFile(folder: string): void {
  const nearest = nearestOf(resolve(folder));
  if (statSync(nearest).isDirectory()) return;
  throw new Failure('not-ours', `cannot write to ${folder}`, {
    place: { file: folder },
    expected: 'a folder, or nothing',
    found: nearest === resolve(folder) ? 'a file' : `a file at ${nearest}`,
    hint: 'use another folder; name a store with --store, and a tree with --out; nothing was changed',
  });
}

function notOurs(folder: string, expected: string, found: string): Failure {
  return new Failure('not-ours', `cannot publish to ${folder}`, {
    place: { file: folder },
    expected,
    found,
    hint: 'publish to another folder; nothing was changed',
  });
}

/** Reads a regular file, or some of its bytes. A pipe is refused, because reading it would block. */
async function readRegularFile(file: string, range: ByteRange | undefined): Promise<Buffer> {
  if (!(await stat(file)).isFile()) throw notOurs(file, 'a file, or nothing', 'something that is not a regular file');
  return range === undefined ? readFile(file) : readRange(file, range);
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR']);

/** Returns the result of a call; undefined if the file does not exist. */
async function ifExists<T>(file: string, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (ABSENT.has(codeOf(error) ?? '')) return undefined;
    throw unusable(file, error);
  }
}

/** Converts a local system error to a Failure with a hint. It is not retried. Returns any other error unchanged. */
function unusable(file: string, error: unknown): unknown {
  if (error instanceof Failure || codeOf(error) === undefined) return error;
  const expected = 'a writable folder with free space';
  const hint = 'check the path, its permissions and the free space, then run the same command again';
  return fileSystemFailure(error, file, { expected, hint }, `cannot read or write ${file}`);
}
