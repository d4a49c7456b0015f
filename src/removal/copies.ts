import { createReadStream, createWriteStream, mkdtempSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { type Duplex, Readable, pipeline as streamPipeline } from 'node:stream';
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
  readonly with_account: readonly string[];
  /** Files with the text of a handle and no removed account. */
  readonly with_handle: readonly string[];
  /** What was not searched, or not as a whole: links, damaged files, compressions that are not read. */
  readonly unread: readonly string[];
}

interface CopyFile {
  readonly path: string;
  readonly pieces: () => AsyncIterable<Buffer>;
}

/** How many bytes of an object are read at once. */
const RANGE_BYTES = 1 << 23;
const ZIP = Buffer.from('PK\x03\x04');
const GZIP = Buffer.from([0x1f, 0x8b]);
/** The first bytes of what is not searched: Zstandard, xz, bzip2, 7z, lz4, zlib, and text in UTF-16. */
const UNREAD = [
  [0x28, 0xb5, 0x2f, 0xfd],
  [0xfd, 0x37, 0x7a, 0x58, 0x5a],
  [0x42, 0x5a, 0x68],
  [0x37, 0x7a, 0xbc, 0xaf],
  [0x04, 0x22, 0x4d, 0x18],
  [0x78, 0x01],
  [0x78, 0x5e],
  [0x78, 0x9c],
  [0x78, 0xda],
  [0xff, 0xfe],
  [0xfe, 0xff],
].map((bytes) => Buffer.from(bytes));
/** A tar, whose members can be compressed. */
const TAR = { text: 'ustar', at: 257 };
const HEAD_BYTES = 512;
const SQLITE = Buffer.from('SQLite format 3\0');

/** Searches every byte of a file, or of all files in a folder. @throws Failure no-source, and what the signal has */
export async function checkLocal(
  path: string,
  form: CopyForm | undefined,
  accounts: SearchedAccounts,
  signal?: AbortSignal,
): Promise<CopyCheck> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory() && !stat?.isFile()) throw noCopy(path);
  const inside = stat.isDirectory() ? readdirSync(path, { recursive: true, withFileTypes: true }) : [];
  const nameOf = (file: string) => relative(path, file).replaceAll(sep, '/');
  const files = inside.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const links = inside
    .filter((entry) => !entry.isFile() && !entry.isDirectory())
    .map((entry) => nameOf(join(entry.parentPath, entry.name)));
  const paths = stat.isDirectory() ? files : [path];
  if (paths.length + links.length === 0) throw noCopy(path);
  const copyFiles = paths.map((file) => ({
    path: stat.isDirectory() ? nameOf(file) : file,
    pieces: () => createReadStream(file, { highWaterMark: 1 << 20 }),
  }));
  return new CopySearch(accounts, signal).check(path, form ?? (path.endsWith('.zip') ? 'tree' : 'file'), copyFiles, 1, links);
}

/** Searches every byte of all objects at a target. @throws Failure no-source, target-failed, target-denied, stopped, file-system */
export async function checkObjects(remote: Remote, accounts: SearchedAccounts, concurrency: number): Promise<CopyCheck> {
  const objects = await remote.list('');
  if (objects.length === 0) throw noCopy(remote.name);
  const files = objects.map(({ path, size }) => ({ path, pieces: () => piecesOf(remote, path, size) }));
  return new CopySearch(accounts, undefined).check(remote.name, await formOf(remote), files, concurrency);
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
  readonly #signal: AbortSignal | undefined;
  #files = 0;

  constructor(accounts: SearchedAccounts, signal: AbortSignal | undefined) {
    this.#accounts = accounts;
    this.#signal = signal;
  }

  /** @param links the paths of links and other entries that are not searched */
  async check(
    place: string,
    form: CopyForm,
    files: readonly CopyFile[],
    concurrency: number,
    links: readonly string[] = [],
  ): Promise<CopyCheck> {
    const search = new TraceSearch(this.#accounts, form === 'file');
    for (const link of links) this.#found.unread.push(search.withoutHandles(link));
    await forEachLimit(backwards(files), concurrency, (file) => this.#file(file, search));
    const { account, handle, unread } = this.#found;
    return { place, form, files: this.#files, with_account: account.toSorted(), with_handle: handle.toSorted(), unread: unread.toSorted() };
  }

  async #file(file: CopyFile, search: TraceSearch): Promise<void> {
    this.#signal?.throwIfAborted();
    this.#files += 1;
    const { path, pieces } = decompressed(file);
    try {
      const [head, all] = await withHead(this.#untilStopped(pieces()));
      if (UNREAD.some((start) => startsWith(head, start))) throw new ZipDamage('a compression that is not read');
      if (startsWith(head, ZIP)) await this.#inCopy(all, (copy) => this.#zip(file.path, copy, search));
      else if (startsWith(head, SQLITE)) this.#add(file.path, await this.#inCopy(all, (copy) => this.#store(copy, search)), search);
      else {
        if (head.toString('latin1', TAR.at, TAR.at + TAR.text.length) === TAR.text)
          this.#found.unread.push(search.withoutHandles(file.path));
        this.#add(file.path, await search.search(path, all), search);
      }
    } catch (error) {
      // other errors end the search: an object that cannot be fetched, a file that cannot be read
      if (!isDamage(error)) throw error;
      this.#found.unread.push(search.withoutHandles(file.path));
      this.#add(file.path, await search.search(path, file.pieces()), search);
    }
  }

  async *#untilStopped(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      this.#signal?.throwIfAborted();
      yield piece;
    }
  }

  async #zip(path: string, copy: string, { isStrict }: TraceSearch): Promise<void> {
    const search = new TraceSearch(this.#accounts, isStrict);
    const reader = new ZipReader(openSync(copy, 'r'));
    try {
      for (const { path: member } of backwards(Array.from(reader.paths(), (name) => ({ path: name })))) {
        this.#files += 1;
        const bytes = async function* () {
          yield reader.read(member) ?? Buffer.of();
        };
        const plain = decompressed({ path: member, pieces: bytes });
        this.#add(`${path}: ${member}`, await search.search(plain.path, plain.pieces()), search);
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

  #add(path: string, trace: Trace | undefined, search: TraceSearch): void {
    if (trace !== undefined) this.#found[trace].push(search.withoutHandles(path));
  }
}

/** Returns files in the order in which they are searched: pages of the API before HTML pages. */
function backwards<File extends { readonly path: string }>(files: readonly File[]): readonly File[] {
  return files.toSorted((one, other) => (one.path < other.path ? 1 : -1));
}

/** Returns a file without its compression. Brotli is recognized by the name, gzip also by the first bytes. */
function decompressed(file: CopyFile): CopyFile {
  const [suffix = ''] = /\.(?:gz|gzip|br)$/i.exec(file.path) ?? [];
  const path = file.path.slice(0, file.path.length - suffix.length);
  // an error ends the iteration
  const plain = (pieces: AsyncIterable<Buffer>, decompress: Duplex) => streamPipeline(Readable.from(pieces), decompress, () => {});
  if (suffix.toLowerCase() === '.br') return { path, pieces: () => plain(file.pieces(), createBrotliDecompress()) };
  const pieces = async function* () {
    const [head, all] = await withHead(file.pieces());
    // what is not in gzip, although its name says so, is damaged
    yield* suffix !== '' || startsWith(head, GZIP) ? plain(all, createGunzip()) : all;
  };
  return { path, pieces };
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}

/** Returns the first bytes, and all. */
async function withHead(pieces: AsyncIterable<Buffer>): Promise<readonly [Buffer, AsyncIterable<Buffer>]> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  const all = async function* () {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
  };
  return [first.done === true ? Buffer.of() : first.value.subarray(0, HEAD_BYTES), all()];
}

/** Whether a file is damaged compressed data, a damaged ZIP, or no store. */
function isDamage(error: unknown): boolean {
  if (error instanceof Failure) return error.code.endsWith('-store') || error.code.startsWith('store-');
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return error instanceof ZipDamage || /^(?:Z_|ERR_)/.test(code);
}

/** Returns the error for a place without files. */
export function noCopy(name: string): Failure {
  return new Failure('no-source', `there is nothing at ${name} to check`, {
    place: { field: '--check' },
    expected: 'a folder, a file or a target with files',
    found: 'nothing',
    hint: 'check the path or the address of --check',
  });
}
