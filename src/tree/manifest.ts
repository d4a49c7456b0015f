import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { isBrowsePath } from './browse-lines.ts';
import { Digests } from './digests.ts';
import { ENCODINGS, type Encoding } from './encoding.ts';
import { pathOf, slotAt, slotCount } from './layout.ts';
import { linesIn, PIECE, piecesIn, piecesOf } from './lines.ts';
import { type ManifestLine, parseLine } from './manifest-line.ts';
import { openRegularFile } from './regular-file.ts';
import { SORT_KEYS } from './sort-keys.ts';

/** The list of all files with their SHA-256, in the format of `sha256sum -c`: the pages, the browse files, the sort keys. */
export const MANIFEST = 'manifest-sha256.txt';

/** The digests of a tree's files, by collection. */
export type TreeDigests = { readonly [C in Collection]: Digests };

/**
 * Writes a manifest.
 * @param browse the lines of the browse files, in chunks
 * @param sortKeys the SHA-256 of the tree's sort keys
 * @returns the SHA-256 of its bytes, as hexadecimal digits
 */
export function writeManifest(path: string, digests: TreeDigests, browse: Iterable<Buffer>, sortKeys: string): string {
  const hash = createHash('sha256');
  const file = openSync(path, 'w');
  try {
    for (const piece of manifestPieces(digests, browse, sortKeys)) {
      hash.update(piece);
      writeFileSync(file, piece);
    }
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

function* manifestPieces(digests: TreeDigests, browse: Iterable<Buffer>, sortKeys: string): Generator<string | Buffer> {
  let piece = '';
  for (const collection of COLLECTIONS) {
    const known = digests[collection];
    for (let slot = 0; slot < slotCount(known.pages, known.encodings); slot += 1) {
      piece += `${known.get(slot)}  ${pathOf(collection, slot, known.pages, known.encodings)}\n`;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = '';
    }
  }
  yield piece;
  yield* browse;
  yield `${sortKeys}  ${SORT_KEYS}\n`;
}

/** Returns the SHA-256 of a tree's manifest, as hexadecimal digits; undefined if it cannot be read. */
export function manifestDigest(out: string): string | undefined {
  return digestOf(join(out, MANIFEST));
}

/** Returns the SHA-256 of a file, as hexadecimal digits; undefined if it cannot be read. */
export function digestOf(path: string): string | undefined {
  const hash = createHash('sha256');
  try {
    for (const piece of piecesOf(path)) hash.update(piece);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

/**
 * Returns the SHA-256 of the sort keys from the last line of a tree's manifest.
 * @returns undefined if the manifest is from a release without sort keys
 */
export function sortKeysDigest(out: string): string | undefined {
  const end = Buffer.alloc(64 + 2 + SORT_KEYS.length + 1);
  const file = openRegularFile(join(out, MANIFEST));
  try {
    readSync(file, end, 0, end.length, Math.max(0, fstatSync(file).size - end.length));
  } finally {
    closeSync(file);
  }
  const line = parseLine(end.toString().trimEnd());
  return line?.path === SORT_KEYS ? line.digest : undefined;
}

/** The shortest possible line, in bytes. */
const SHORTEST = 80;

/** Returns the largest number of lines that a manifest of this size can have. */
export function mostLines(bytes: number): number {
  return Math.floor(bytes / SHORTEST);
}

/** Yields the lines of a tree's manifest, and undefined for each invalid line. */
export function manifestLines(out: string): Generator<ManifestLine | undefined> {
  return parsed(piecesOf(join(out, MANIFEST)));
}

function* parsed(pieces: Iterable<Buffer>): Generator<ManifestLine | undefined> {
  for (const line of linesIn(pieces)) yield parseLine(line);
}

/** Reads the digests from a tree's manifest. Ignores lines for files that a tree with these numbers of pages does not have. */
export function readManifest(out: string, pages: { readonly [C in Collection]: number }, encodings: readonly Encoding[]): TreeDigests {
  return digestsIn(piecesOf(join(out, MANIFEST)), pages, encodings);
}

/** Like {@link readManifest}, but for a manifest in memory. Decodes it chunk by chunk, never the whole text at once. */
export function parseManifest(bytes: Buffer, pages: { readonly [C in Collection]: number }, encodings: readonly Encoding[]): TreeDigests {
  return digestsIn(piecesIn(bytes), pages, encodings);
}

/** Whether bytes are a manifest of palimpsest: it has at least one line, and each line names a file of a tree. */
export function isManifest(bytes: Buffer): boolean {
  let lines = 0;
  for (const line of parsed(piecesIn(bytes))) {
    const isOfTree =
      line !== undefined &&
      (line.path === SORT_KEYS ||
        isBrowsePath(line.path) ||
        COLLECTIONS.some((name) => slotAt(name, line.path, Number.MAX_SAFE_INTEGER, ENCODINGS) !== undefined));
    if (!isOfTree) return false;
    lines += 1;
  }
  return lines > 0;
}

function digestsIn(bytes: Iterable<Buffer>, pages: { readonly [C in Collection]: number }, encodings: readonly Encoding[]): TreeDigests {
  const digests = { data: new Digests(pages.data, encodings), account: new Digests(pages.account, encodings) };
  for (const line of parsed(bytes)) {
    if (line === undefined) continue;
    for (const collection of COLLECTIONS) {
      const slot = slotAt(collection, line.path, pages[collection], encodings);
      if (slot !== undefined) digests[collection].set(slot, Buffer.from(line.digest, 'hex'));
    }
  }
  return digests;
}
