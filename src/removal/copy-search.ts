import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type BrotliDecompress, createBrotliDecompress, createGunzip, type Gunzip } from 'node:zlib';
import { codeOf, convertErrors, Failure } from '../contract/failure.ts';
import { piped } from '../sources/unpack/decompression.ts';
import { headOf, isZip, resumed } from '../sources/unpack/detect-format.ts';
import { forEachLimit } from '../storage/concurrency-limit.ts';
import { excludedRows } from '../store/exclusions/named-exclusions.ts';
import { isGzip } from '../warc/detect-warc.ts';
import { BadResponse, parseResponse } from '../warc/http-response.ts';
import { type ReadRecord, readRecords } from '../warc/read-records.ts';
import { inOnePiece } from '../warc/salvage.ts';
import { ZipDamage } from '../zip/member.ts';
import { type SearchedAccounts, type Trace, TraceSearch } from './trace-search.ts';
import { openMembers } from './zip-members.ts';

/** What a copy is: it determines the command that updates it. */
export type CopyForm = 'tree' | 'pages' | 'site' | 'store' | 'file';

/** What a search found in a copy: the paths of files, without handles and stable ids. */
export interface CopyCheck {
  readonly place: string;
  readonly form: CopyForm;
  /** How many files were searched. Members of a ZIP are files, too. */
  readonly files: number;
  readonly with_account: readonly string[];
  /** Files with the text of a handle and no removed account. */
  readonly with_handle: readonly string[];
  /** What was not searched, or not as a whole: links, files that are damaged or cannot be read, and those that are neither UTF-8 text nor of a known format. */
  readonly unread: readonly { readonly path: string; readonly reason: string }[];
}

export interface CopyFile {
  readonly path: string;
  readonly pieces: () => AsyncIterable<Uint8Array>;
}

/** A file, or what is inside it. */
interface Content {
  /** The name of the file in the result. */
  readonly name: string;
  /** The path without the suffix of each compression that is undone. */
  readonly path: string;
  /** How many compressions and ZIP files it is inside of. */
  readonly depth: number;
  /** The search in the tree that it is a file of. */
  readonly search: TraceSearch;
}

/** The maximum nesting: a file of an attacker can contain itself. */
const MAX_DEPTH = 8;
const SQLITE = 'SQLite format 3\0';
const WARC = 'WARC/';

export class CopySearch {
  readonly #accounts: SearchedAccounts;
  readonly #found: { readonly [T in Trace]: Set<string> } = { account: new Set(), handle: new Set() };
  /** The names of what was not searched, each with the first reason. */
  readonly #unread = new Map<string, string>();
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
    for (const link of links) this.#addUnread(link, 'a link, or no regular file');
    await forEachLimit(backwards(files), concurrency, (file) => this.#file(file, { name: file.path, path: file.path, depth: 0, search }));
    const { account, handle } = this.#found;
    const sorted = (paths: ReadonlySet<string>) => Array.from(paths, (path) => search.withoutNames(path)).toSorted();
    return {
      place,
      form,
      files: this.#files,
      with_account: sorted(account),
      with_handle: sorted(new Set([...handle].filter((path) => !account.has(path)))),
      unread: Array.from(this.#unread, ([path, reason]) => ({
        path: search.withoutNames(path),
        reason: search.withoutNames(reason),
      })).toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    };
  }

  #addUnread(name: string, reason: string): void {
    if (!this.#unread.has(name)) this.#unread.set(name, reason);
  }

  async #file({ pieces }: CopyFile, content: Content): Promise<void> {
    this.#signal?.throwIfAborted();
    this.#files += 1;
    const open = () => this.#untilStopped(pieces());
    // what is not compressed is found nevertheless. A damaged member of a ZIP has no bytes
    if (!(await this.#isRead(content, () => this.#content(content, open(), open))))
      await this.#isRead(content, () => this.#bytes(content, open()));
  }

  /** Counts a file as not searched if it cannot be read. Other errors end the search: an object that cannot be fetched. */
  async #isRead({ name }: Content, searching: () => Promise<unknown>): Promise<boolean> {
    try {
      await searching();
      return true;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.#addUnread(name, reasonOf(error));
      return false;
    }
  }

  async *#untilStopped(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.#signal?.throwIfAborted();
      yield piece;
    }
  }

  /**
   * Searches bytes by their format. Brotli is recognized by the name, gzip also by the first bytes.
   * @param again reads the same bytes again
   */
  async #content(content: Content, pieces: AsyncIterable<Uint8Array>, again: () => AsyncIterable<Uint8Array>): Promise<void> {
    const { path, depth } = content;
    if (depth > MAX_DEPTH) throw new ZipDamage('a file that is compressed too many times');
    const [suffix = ''] = /\.(?:gz|gzip|br)$/i.exec(path) ?? [];
    const inside = { ...content, path: path.slice(0, path.length - suffix.length), depth: depth + 1 };
    const unpacked = (stream: () => Gunzip | BrotliDecompress, packed: AsyncIterable<Uint8Array>) =>
      this.#content(inside, decompressed(packed, stream()), () => decompressed(again(), stream()));
    if (suffix.toLowerCase() === '.br') return unpacked(createBrotliDecompress, pieces);
    const rest = pieces[Symbol.asyncIterator]();
    try {
      const head = await headOf(rest, SQLITE.length);
      const all = resumed(head, rest);
      const start = head.toString('latin1');
      // what is not in gzip, although its name says so, is damaged
      if (suffix !== '' || isGzip(head)) await unpacked(createGunzip, all);
      else if (isZip(head)) await this.#inCopy(all, (copy) => this.#zip(content, copy));
      else if (start.startsWith(SQLITE)) await this.#inCopy(all, (copy) => this.#store(content, copy));
      else if (start.startsWith(WARC)) await this.#warc(content, all, again());
      else if (!(await this.#bytes(content, all))) this.#addUnread(content.name, 'no text in UTF-8, and of no format that is read');
    } finally {
      await rest.return?.();
    }
  }

  /** Searches bytes as they are. Returns whether they are text in UTF-8, so that all of it was searched. */
  async #bytes({ name, path, search }: Content, pieces: AsyncIterable<Uint8Array>): Promise<boolean> {
    const { trace, isText } = await search.search(path, pieces);
    if (trace !== undefined) this.#found[trace].add(name);
    return isText;
  }

  async #zip({ name, depth, search: { isStrict } }: Content, copy: string): Promise<void> {
    const search = new TraceSearch(this.#accounts, isStrict);
    const { members, close } = await openMembers(name, copy);
    try {
      for (const member of backwards(members))
        await this.#file(member, { name: `${name}: ${member.path}`, path: member.path, depth: depth + 1, search });
    } finally {
      close();
    }
  }

  async #store(content: Content, copy: string): Promise<void> {
    await this.#bytes({ ...content, path: '' }, createReadStream(copy));
    if (excludedRows(copy, this.#accounts.exclusions).hasAccount) this.#found.account.add(content.name);
  }

  /** Searches a WARC, and the body of each of its records without chunks and compression. */
  async #warc(content: Content, pieces: AsyncIterable<Uint8Array>, again: AsyncIterable<Uint8Array>): Promise<void> {
    const record = { ...content, path: '', depth: content.depth + 1 };
    await this.#bytes(record, pieces);
    for await (const read of readRecords(content.name, again, () => true)) {
      this.#signal?.throwIfAborted();
      await this.#isRead(record, async () => {
        const body = bodyOf(read);
        await this.#content(record, inOnePiece(body), () => inOnePiece(body));
      });
    }
  }

  /** Writes a file to the disk, and removes it afterwards. */
  async #inCopy(pieces: AsyncIterable<Uint8Array>, read: (path: string) => Promise<void>): Promise<void> {
    const folder = convertErrors(() => mkdtempSync(join(tmpdir(), 'palimpsest-')), copyFailed);
    try {
      await pipeline(pieces, createWriteStream(join(folder, 'copy'))).catch((error: unknown) => {
        throw copyFailed(error);
      });
      await read(join(folder, 'copy'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

/** Returns files in the order in which they are searched: pages of the API before HTML pages. */
function backwards<File extends { readonly path: string }>(files: readonly File[]): readonly File[] {
  return files.toSorted((one, other) => (one.path < other.path ? 1 : -1));
}

/** Decompresses bytes. @throws ZipDamage if other bytes follow: zlib ignores them */
async function* decompressed(pieces: AsyncIterable<Uint8Array>, stream: Gunzip | BrotliDecompress): AsyncGenerator<Uint8Array> {
  let packed = 0;
  const counted = async function* () {
    for await (const piece of pieces) {
      packed += piece.length;
      yield piece;
    }
  };
  yield* piped(counted(), stream);
  if (stream.bytesWritten < packed) throw new ZipDamage('bytes after compressed data');
}

/** Returns the body of an HTTP response as a reader gets it, and other records as they are. @throws BadResponse */
function bodyOf({ type, mediaType, block = Buffer.of() }: ReadRecord): Buffer {
  return type === 'response' && mediaType === 'application/http' ? parseResponse(block).body() : block;
}

/** Names the folder for temporary files in an error of the file system. Returns any other error unchanged. */
function copyFailed(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  return Object.assign(new Error(`cannot copy it to ${tmpdir()} (TMPDIR): ${error.message}`, { cause: error }), { code: codeOf(error) });
}

function reasonOf(error: unknown): string {
  if (error instanceof Failure) return error.found ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/** Whether a file is damaged, no store, or cannot be read or copied, such as on a full disk. */
function isUnreadable(error: unknown): boolean {
  if (error instanceof Failure) return /-store$|^store-|^bad-(?:archive|encoding)$/.test(error.code);
  return error instanceof ZipDamage || error instanceof BadResponse || /^(?:Z_|E)/.test(codeOf(error) ?? '');
}
