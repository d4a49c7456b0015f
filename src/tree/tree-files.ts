import { closeSync, type Dir, fstatSync, lstatSync, opendirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, convertErrors } from '../contract/failure.ts';
import { readFully } from '../contract/files/file-bytes.ts';
import { ZipDamage } from '../zip/member.ts';
import { ZipReader } from '../zip/zip-reader.ts';
import { piecesIn, piecesOf } from './manifest/lines.ts';
import { openRegularFile, readRegularFile } from './regular-file.ts';

/** Why a file of a tree cannot be read. A damaged file is in a ZIP and does not match its CRC-32, or its place is damaged. */
export type UnreadableReason = 'missing' | 'unreadable' | 'damaged';

/** The error for a file of a tree that cannot be read. Its message says what was found. */
export class UnreadableFile extends Error {
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.reason = reason;
  }
}

export interface OpenFile {
  /** Its length in bytes. */
  readonly size: number;
  /** Reads the bytes from one position to before another; fewer at the end of the file. */
  readonly read: (from: number, to: number) => Buffer;
  readonly close: () => void;
}

/**
 * The files of a tree, in a folder or in a ZIP. Paths are relative to the tree, with slashes. All methods block.
 * A thread opens the files itself.
 */
export interface TreeFiles {
  /** The path of the folder or of the ZIP. The place of a file in messages is this path, a slash and the path of the file. */
  readonly out: string;
  readonly form: TreeForm;
  readonly zip?: ZipReader;
  /** @throws UnreadableFile */
  readonly read: (path: string) => Buffer;
  /**
   * Opens a file. From a ZIP, the whole file is in memory.
   * @throws UnreadableFile
   */
  readonly open: (path: string) => OpenFile;
  /**
   * Reads a file in chunks, which may share one buffer. From a ZIP, the whole file is in memory.
   * @throws UnreadableFile
   */
  readonly pieces: (path: string) => Iterable<Buffer>;
  /** The length of a file in bytes; undefined if there is no such file, or its place cannot be read. */
  readonly size: (path: string) => number | undefined;
  /**
   * Yields the paths of all files, or of those below a folder. Leaves out what is hidden beside `rest`: palimpsest does not own
   * it. A folder that cannot be opened is yielded as a file. A ZIP has the order of its manifest.
   * @throws UnreadableFile if the central directory of a ZIP cannot be read
   */
  readonly paths: (folder?: string) => Generator<string>;
  readonly close: () => void;
}

export type TreeForm = 'folder' | 'zip';

/** Decides which form a tree at a path has or will have: a file is a ZIP, and so is a path that ends in `.zip` with nothing there. */
export function formOf(out: string): TreeForm {
  const found = statSync(out, { throwIfNoEntry: false });
  const isZip = found === undefined ? out.endsWith('.zip') : !found.isDirectory();
  return isZip ? 'zip' : 'folder';
}

/**
 * Opens the files of a tree. A folder need not exist.
 * @throws UnreadableFile if there is no ZIP at the path of a ZIP, or no ZIP with an index
 */
export function openTreeFiles(out: string): TreeFiles {
  return formOf(out) === 'zip' ? openZip(out) : folderFiles(out);
}

export function folderFiles(out: string): TreeFiles {
  return {
    out,
    form: 'folder',
    read: (path) => convertErrors(() => readRegularFile(join(out, path)), unreadable),
    open: (path) => convertErrors(() => openIn(join(out, path)), unreadable),
    pieces: (path) => readablePieces(join(out, path)),
    size: (path) => sizeIn(join(out, path)),
    paths: (folder = '') => pathsIn(out, folder),
    close: () => {},
  };
}

function openZip(out: string): TreeFiles {
  const zip = convertErrors(() => openReader(out), unreadable);
  const read = (path: string) => convertErrors(() => zip.read(path), unreadable) ?? missing(`${out} has no member ${path}`);
  return {
    out,
    form: 'zip',
    zip,
    read,
    open: (path) => inMemory(read(path)),
    *pieces(path) {
      yield* piecesIn(read(path));
    },
    size: (path) => ifReadable(() => zip.find(path)?.size),
    paths: (folder = '') => pathsBelow(zip, folder),
    close: () => zip.close(),
  };
}

function openIn(path: string): OpenFile {
  const file = openRegularFile(path);
  const read = (from: number, to: number) => {
    const bytes = Buffer.allocUnsafeSlow(to - from);
    return bytes.subarray(0, readFully(file, bytes, from));
  };
  return { size: fstatSync(file).size, read: (from, to) => convertErrors(() => read(from, to), unreadable), close: () => closeSync(file) };
}

export function inMemory(bytes: Buffer): OpenFile {
  return { size: bytes.length, read: (from, to) => bytes.subarray(from, to), close: () => {} };
}

function openReader(out: string): ZipReader {
  const file = openRegularFile(out);
  try {
    return new ZipReader(file);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function unreadable(error: unknown): UnreadableFile {
  if (error instanceof ZipDamage) return new UnreadableFile('damaged', error);
  const isMissing = /^(ENOENT|ENOTDIR)$/.test(codeOf(error) ?? '');
  return new UnreadableFile(isMissing ? 'missing' : 'unreadable', error);
}

function missing(found: string): never {
  throw new UnreadableFile('missing', found);
}

function* readablePieces(path: string): Generator<Buffer> {
  try {
    yield* piecesOf(path);
  } catch (error) {
    throw unreadable(error);
  }
}

function sizeIn(path: string): number | undefined {
  const found = ifReadable(() => statSync(path));
  return found?.isFile() ? found.size : undefined;
}

/** Returns undefined if something is missing, or cannot be read. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function* pathsIn(out: string, folder: string): Generator<string> {
  let entries: Dir;
  try {
    entries = opendirSync(join(out, folder));
  } catch {
    // its name is not UTF-8, or it is no folder
    if (ifReadable(() => lstatSync(join(out, folder))) !== undefined) yield folder;
    return;
  }
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (path.startsWith('.')) continue;
      if (entry.isDirectory()) yield* pathsIn(out, path);
      else yield path;
    }
  } finally {
    entries.closeSync();
  }
}

function* pathsBelow(zip: ZipReader, folder: string): Generator<string> {
  try {
    for (const path of zip.paths()) if (folder === '' || path.startsWith(`${folder}/`)) yield path;
  } catch (error) {
    throw unreadable(error);
  }
}
