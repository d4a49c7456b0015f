import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { Digests } from './digests.ts';
import { ENCODINGS, type Encoding } from './encoding.ts';
import { pathOf, slotAt, slotCount } from './layout.ts';
import { linesIn, PIECE, piecesIn, piecesOf } from './lines.ts';
import { openRegularFile } from './regular-file.ts';
import { SORT_KEYS } from './sort-keys.ts';

/** The list of all pages with their SHA-256, in the form that `sha256sum -c` takes. */
export const MANIFEST = 'manifest-sha256.txt';

/** The digests of a tree's files, collection by collection. */
export type TreeDigests = { readonly [C in Collection]: Digests };

/**
 * Writes a manifest.
 * @param sortKeys the SHA-256 of the tree's sort keys
 * @returns the SHA-256 of its bytes, as hexadecimal digits
 */
export function writeManifest(path: string, digests: TreeDigests, sortKeys: string): string {
  const hash = createHash('sha256');
  const file = openSync(path, 'w');
  try {
    for (const piece of manifestPieces(digests, sortKeys)) {
      hash.update(piece);
      writeFileSync(file, piece);
    }
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

function* manifestPieces(digests: TreeDigests, sortKeys: string): Generator<string> {
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
  yield `${piece}${sortKeys}  ${SORT_KEYS}\n`;
}

/** The SHA-256 of a tree's manifest, as hexadecimal digits; undefined where it has none that can be read. */
export function manifestDigest(out: string): string | undefined {
  return digestOf(join(out, MANIFEST));
}

/** The SHA-256 of a file, as hexadecimal digits; undefined where it cannot be read. */
export function digestOf(path: string): string | undefined {
  const hash = createHash('sha256');
  try {
    for (const piece of piecesOf(path)) hash.update(piece);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

/** What a tree's manifest gives, in its last line, as the SHA-256 of its sort keys; undefined in one of a release that wrote none. */
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

/** What a line takes at the least, in bytes. */
const SHORTEST = 80;

/** How many lines a manifest of so many bytes can have. */
export function mostLines(bytes: number): number {
  return Math.floor(bytes / SHORTEST);
}

/** One line of a manifest: a file's digest and its path. */
export interface ManifestLine {
  readonly digest: string;
  readonly path: string;
}

/** The lines of a tree's manifest; undefined for a line that is none. */
export function manifestLines(out: string): Generator<ManifestLine | undefined> {
  return parsed(piecesOf(join(out, MANIFEST)));
}

function* parsed(pieces: Iterable<Buffer>): Generator<ManifestLine | undefined> {
  for (const line of linesIn(pieces)) yield parseLine(line);
}

function parseLine(line: string): ManifestLine | undefined {
  const match = /^([0-9a-f]{64}) {2}(.+)$/.exec(line);
  return match === null ? undefined : { digest: match[1] ?? '', path: match[2] ?? '' };
}

/** The digests that a tree's manifest gives for the files of a tree with so many pages; other lines do not count. */
export function readManifest(out: string, pages: { readonly [C in Collection]: number }, encodings: readonly Encoding[]): TreeDigests {
  return digestsIn(piecesOf(join(out, MANIFEST)), pages, encodings);
}

/** As {@link readManifest}, from a manifest's bytes: their lines are never all there as text. */
export function parseManifest(bytes: Buffer, pages: { readonly [C in Collection]: number }, encodings: readonly Encoding[]): TreeDigests {
  return digestsIn(piecesIn(bytes), pages, encodings);
}

/** Whether bytes are a manifest of palimpsest's: it names nothing but the files of a tree, and some. */
export function isManifest(bytes: Buffer): boolean {
  let lines = 0;
  for (const line of parsed(piecesIn(bytes))) {
    const isOfTree =
      line !== undefined &&
      (line.path === SORT_KEYS || COLLECTIONS.some((name) => slotAt(name, line.path, Number.MAX_SAFE_INTEGER, ENCODINGS) !== undefined));
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
