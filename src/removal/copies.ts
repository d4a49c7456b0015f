import { createReadStream, createWriteStream, mkdtempSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { Readable, pipeline as streamPipeline } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { Failure } from '../contract/failure.ts';
import { SITE_MARKER, VERSIONS_MARKER } from '../contract/files/markers.ts';
import { forEachLimit } from '../storage/pool.ts';
import type { Remote } from '../storage/remote.ts';
import { versionsAt } from '../storage/target-form.ts';
import { excludedRows } from '../store/exclusions/excluded-rows.ts';
import { BUILD_RECORD } from '../tree/build-record.ts';
import { ZipDamage } from '../zip/member.ts';
import { ZipReader } from '../zip/zip-reader.ts';
import { type SearchedAccounts, type Trace, TraceSearch } from './trace-search.ts';

/** What a copy is: it determines the command that updates it. */
export type CopyForm = 'tree' | 'pages' | 'site' | 'store' | 'file';

/** What a search found in a copy: the paths of files, without handles. */
export interface CopyCheck {
  readonly place: string;
  readonly form: CopyForm;
  /** How many files were searched. Members of a ZIP are files, too. */
  readonly files: number;
  readonly accounts: readonly string[];
  /** Files with the text of a handle and no removed account. */
  readonly handles: readonly string[];
  /** Compressed files that could not be read. */
  readonly unread: readonly string[];
}

interface CopyFile {
  readonly path: string;
  readonly pieces: () => AsyncIterable<Buffer>;
}

/** How many bytes of an object are read at once. */
const RANGE_BYTES = 1 << 23;
const ZIP = Buffer.from('PK\x03\x04');
/** Zstandard, xz, bzip2 and 7z, as Latin-1. */
const PACKED = /^(?:\x28\xb5\x2f\xfd|\xfd7zXZ|BZh\d|7z\xbc\xaf)/;
const SQLITE = Buffer.from('SQLite format 3\0');

/** Searches every byte of a file, or of all files in a folder. */
export async function checkLocal(path: string, form: CopyForm | undefined, accounts: SearchedAccounts): Promise<CopyCheck> {
  if (!statSync(path, { throwIfNoEntry: false })) throw noCopy(path);
  const isFolder = statSync(path).isDirectory();
  const files = isFolder ? readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()) : [];
  const paths = isFolder ? files.map((entry) => join(entry.parentPath, entry.name)) : [path];
  const copyFiles = paths.map((file) => ({
    path: isFolder ? relative(path, file).replaceAll(sep, '/') : file,
    pieces: () => createReadStream(file, { highWaterMark: 1 << 20 }),
  }));
  return new CopySearch(accounts).check(path, form ?? (path.endsWith('.zip') ? 'tree' : 'file'), copyFiles);
}

/** Searches every byte of all objects at a target. @throws Failure no-source, target-failed, target-denied, stopped, file-system */
export async function checkObjects(remote: Remote, accounts: SearchedAccounts, concurrency: number): Promise<CopyCheck> {
  const objects = await remote.list('');
  if (objects.length === 0) throw noCopy(remote.name);
  const files = objects.map(({ path, size }) => ({ path, pieces: () => piecesOf(remote, path, size) }));
  return new CopySearch(accounts).check(remote.name, await formOf(remote), files, concurrency);
}

export async function formOf(remote: Remote): Promise<CopyForm> {
  const versions = await versionsAt(remote, VERSIONS_MARKER);
  if (versions !== undefined) return versions;
  if ((await remote.head(SITE_MARKER)) !== undefined) return 'pages';
  return (await remote.head(BUILD_RECORD)) === undefined ? 'file' : 'tree';
}

async function* piecesOf(remote: Remote, path: string, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < size; from += RANGE_BYTES) {
    const fetched = await remote.get(path, { from, to: Math.min(size, from + RANGE_BYTES) });
    if (fetched !== undefined) yield fetched.bytes;
  }
}

class CopySearch {
  readonly #accounts: SearchedAccounts;
  readonly #found: { readonly [T in Trace | 'unread']: string[] } = { account: [], handle: [], unread: [] };
  #files = 0;

  constructor(accounts: SearchedAccounts) {
    this.#accounts = accounts;
  }

  async check(place: string, form: CopyForm, files: readonly CopyFile[], concurrency = 1): Promise<CopyCheck> {
    const search = new TraceSearch(this.#accounts);
    await forEachLimit(backwards(files), concurrency, (file) => this.#file(file, search));
    const { account, handle, unread } = this.#found;
    return { place, form, files: this.#files, accounts: account.toSorted(), handles: handle.toSorted(), unread: unread.toSorted() };
  }

  async #file(file: CopyFile, search: TraceSearch): Promise<void> {
    this.#files += 1;
    const { path, pieces } = decompressed(file);
    try {
      const [head, all] = await withHead(pieces());
      if (PACKED.test(head.toString('latin1'))) throw new ZipDamage('a compression that is not read');
      if (head.subarray(0, ZIP.length).equals(ZIP)) await this.#inCopy(all, (copy) => this.#zip(file.path, copy));
      else if (head.equals(SQLITE)) this.#add(file.path, await this.#inCopy(all, (copy) => this.#store(copy, search)));
      else this.#add(file.path, await search.search(path, all));
    } catch (error) {
      // other errors end the search: an object that cannot be fetched, a file that cannot be read
      if (!isDamage(error)) throw error;
      this.#found.unread.push(withoutHandle(file.path));
      this.#add(file.path, await search.search(path, file.pieces()));
    }
  }

  async #zip(path: string, copy: string): Promise<void> {
    const search = new TraceSearch(this.#accounts);
    const reader = new ZipReader(openSync(copy, 'r'));
    try {
      for (const { path: member } of backwards(Array.from(reader.paths(), (name) => ({ path: name })))) {
        this.#files += 1;
        const bytes = async function* () {
          yield reader.read(member) ?? Buffer.of();
        };
        const plain = decompressed({ path: member, pieces: bytes });
        this.#add(`${path}: ${member}`, await search.search(plain.path, plain.pieces()));
      }
    } finally {
      reader.close();
    }
  }

  async #store(copy: string, search: TraceSearch): Promise<Trace | undefined> {
    const trace = await search.search('', createReadStream(copy));
    return excludedRows(copy, this.#accounts.exclusions).accounts > 0 ? 'account' : trace;
  }

  /** Writes a file to the disk, and removes it afterwards. */
  async #inCopy<Result>(pieces: AsyncIterable<Buffer>, read: (path: string) => Promise<Result>): Promise<Result> {
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-'));
    try {
      await pipeline(pieces, createWriteStream(join(folder, 'copy')));
      return await read(join(folder, 'copy'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  #add(path: string, trace: Trace | undefined): void {
    if (trace !== undefined) this.#found[trace].push(withoutHandle(path));
  }
}

/** Returns files in the order in which they are searched: pages of the API before pages for people. */
function backwards<File extends { readonly path: string }>(files: readonly File[]): readonly File[] {
  return files.toSorted((one, other) => (one.path < other.path ? 1 : -1));
}

/** Returns a file without its compression. */
function decompressed(file: CopyFile): CopyFile {
  const decompress = file.path.endsWith('.gz') ? createGunzip : file.path.endsWith('.br') ? createBrotliDecompress : undefined;
  if (decompress === undefined) return file;
  // an error ends the iteration
  const pieces = () => streamPipeline(Readable.from(file.pieces()), decompress(), () => {});
  return { path: file.path.slice(0, -3), pieces };
}

/** Returns the first bytes, and all. */
async function withHead(pieces: AsyncIterable<Buffer>): Promise<readonly [Buffer, AsyncIterable<Buffer>]> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  const all = async function* () {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
  };
  return [first.done === true ? Buffer.of() : first.value.subarray(0, SQLITE.length), all()];
}

/** Whether a file is damaged compressed data, a damaged ZIP, or no store. */
function isDamage(error: unknown): boolean {
  if (error instanceof Failure) return error.code.endsWith('-store') || error.code.startsWith('store-');
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return error instanceof ZipDamage || /^(?:Z_|ERR_)/.test(code);
}

/** The files of an account for people have its handle in their names. */
function withoutHandle(path: string): string {
  return path.replace(/(browse\/account\/[0-9a-f]{2}\/).*/, '$1…');
}

function noCopy(name: string): Failure {
  return new Failure('no-source', `there is nothing at ${name} to check`, {
    place: { field: '--check' },
    expected: 'a folder, a file or a target with files',
    found: 'nothing',
    hint: 'check the path or the address, then run the same command again without --yes; the store has no account of these names any more',
  });
}
