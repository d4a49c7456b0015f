import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { Digests } from './digests.ts';
import { ENCODINGS, type Encoding } from './encoding.ts';
import { pathOf, slotAt, slotCount } from './layout.ts';
import { openRegularFile } from './regular-file.ts';

/** The list of all pages with their SHA-256, in the form that `sha256sum -c` takes. */
export const MANIFEST = 'manifest-sha256.txt';

/** The digests of a tree's files, collection by collection. */
export type TreeDigests = { readonly [C in Collection]: Digests };

/** How many bytes of a manifest are held at once: that of a hundred thousand pages has eleven million. */
const PIECE = 1 << 14;

/**
 * Writes a manifest.
 * @returns the SHA-256 of its bytes, as hexadecimal digits
 */
export function writeManifest(path: string, digests: TreeDigests): string {
  const hash = createHash('sha256');
  const file = openSync(path, 'w');
  try {
    for (const piece of manifestPieces(digests)) {
      hash.update(piece);
      writeFileSync(file, piece);
    }
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

function* manifestPieces(digests: TreeDigests): Generator<string> {
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
}

/** The SHA-256 of a tree's manifest, as hexadecimal digits; undefined where it has none that can be read. */
export function manifestDigest(out: string): string | undefined {
  const hash = createHash('sha256');
  try {
    for (const piece of pieces(join(out, MANIFEST))) hash.update(piece);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

function* pieces(path: string): Generator<Buffer> {
  const file = openRegularFile(path);
  try {
    const piece = Buffer.allocUnsafe(PIECE);
    for (let length = readSync(file, piece); length > 0; length = readSync(file, piece)) yield piece.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** More characters than a line has. */
const LONGEST = 1000;
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
  return linesIn(pieces(join(out, MANIFEST)));
}

function* linesIn(pieces: Iterable<Buffer>): Generator<ManifestLine | undefined> {
  let rest = '';
  const decoder = new StringDecoder('utf8');
  for (const piece of pieces) {
    const lines = (rest + decoder.write(piece)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield parseLine(line);
    // what has no line breaks is no manifest, and could be of any length
    rest = rest.slice(0, LONGEST);
  }
  if (rest !== '') yield parseLine(rest);
}

function parseLine(line: string): ManifestLine | undefined {
  const match = /^([0-9a-f]{64}) {2}(.+)$/.exec(line);
  return match === null ? undefined : { digest: match[1] ?? '', path: match[2] ?? '' };
}

/** The digests that a tree's manifest gives for the files of a tree with so many pages; other lines do not count. */
export function readManifest(out: string, pages: { readonly [C in Collection]: number }, encodings: readonly Encoding[]): TreeDigests {
  return digestsIn(pieces(join(out, MANIFEST)), pages, encodings);
}

/** As {@link readManifest}, from a manifest's bytes: their lines are never all there as text. */
export function parseManifest(bytes: Buffer, pages: { readonly [C in Collection]: number }, encodings: readonly Encoding[]): TreeDigests {
  return digestsIn(cut(bytes), pages, encodings);
}

/** Whether bytes are a manifest of palimpsest's: it names nothing but the files of a tree, and some. */
export function isManifest(bytes: Buffer): boolean {
  let lines = 0;
  for (const line of linesIn(cut(bytes))) {
    const isOfTree =
      line !== undefined && COLLECTIONS.some((name) => slotAt(name, line.path, Number.MAX_SAFE_INTEGER, ENCODINGS) !== undefined);
    if (!isOfTree) return false;
    lines += 1;
  }
  return lines > 0;
}

function* cut(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE) yield bytes.subarray(start, start + PIECE);
}

function digestsIn(bytes: Iterable<Buffer>, pages: { readonly [C in Collection]: number }, encodings: readonly Encoding[]): TreeDigests {
  const digests = { data: new Digests(pages.data, encodings), account: new Digests(pages.account, encodings) };
  for (const line of linesIn(bytes)) {
    if (line === undefined) continue;
    for (const collection of COLLECTIONS) {
      const slot = slotAt(collection, line.path, pages[collection], encodings);
      if (slot !== undefined) digests[collection].set(slot, Buffer.from(line.digest, 'hex'));
    }
  }
  return digests;
}
