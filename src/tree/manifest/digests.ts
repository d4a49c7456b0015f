import type { Encoding } from '../encoding.ts';
import { fileCount, type Layout, pathsOfPages, placeOf } from '../layout.ts';

const BYTES = 32;
const NONE = '00'.repeat(BYTES);

/** A file of a tree. */
export interface DigestEntry {
  readonly path: string;
  /** Its SHA-256 as hexadecimal digits; undefined if it is not known. */
  readonly digest: string | undefined;
}

/**
 * The SHA-256 of each file with a page of a tree. The digests are packed into memory that threads can share. A tree of
 * 100,000 pages takes 3 MB.
 */
export class Digests implements Layout {
  readonly pages: Layout['pages'];
  readonly encodings: readonly Encoding[];
  readonly shared: SharedArrayBuffer;
  readonly #bytes: Buffer;

  constructor({ pages, encodings }: Layout, shared: SharedArrayBuffer = new SharedArrayBuffer(fileCount({ pages, encodings }) * BYTES)) {
    this.pages = pages;
    this.encodings = encodings;
    this.shared = shared;
    this.#bytes = Buffer.from(shared);
  }

  /** Whether a tree with this layout has a file at a path. */
  has(path: string): boolean {
    return placeOf(path, this) !== undefined;
  }

  /** Ignores a path that the layout does not have. */
  set(path: string, digest: Buffer): void {
    digest.copy(this.#at(path));
  }

  /** Returns the digest as hexadecimal digits; undefined if there is no known file. */
  get(path: string): string | undefined {
    const hex = this.#at(path).toString('hex');
    return hex === NONE || hex === '' ? undefined : hex;
  }

  /** Whether a path has the same digest in both. */
  equals(other: Digests, path: string): boolean {
    return this.#at(path).equals(other.#at(path));
  }

  /** Copies the digest of a path from another instance. */
  copy(other: Digests, path: string): void {
    this.set(path, other.#at(path));
  }

  entry(path: string): DigestEntry {
    return { path, digest: this.get(path) };
  }

  /** Yields all files in the order of the manifest. */
  *entries(): Generator<DigestEntry> {
    for (const path of pathsOfPages(this)) yield this.entry(path);
  }

  #at(path: string): Buffer {
    const place = placeOf(path, this);
    return place === undefined ? this.#bytes.subarray(0, 0) : this.#bytes.subarray(place * BYTES, (place + 1) * BYTES);
  }
}
