import { createHash } from 'node:crypto';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { isPagePath, type Layout } from '../layout.ts';
import { SORT_KEYS } from '../sort-keys.ts';
import type { TreeFiles } from '../tree-files.ts';
import { isBrowsePath } from './browse-lines.ts';
import { Digests } from './digests.ts';
import { linesIn, type ManifestLine, PIECE, parseLine, piecesIn, piecesOf } from './lines.ts';

/** The list of all files with their SHA-256, in the format of `sha256sum -c`: the pages, the browse files, the sort keys. */
export const MANIFEST = 'manifest-sha256.txt';

/**
 * Writes a manifest.
 * @param browse the lines of the browse files, in chunks
 * @param sortKeys the SHA-256 of the tree's sort keys
 * @returns the SHA-256 of its bytes, as hexadecimal digits
 */
export function writeManifest(path: string, digests: Digests, browse: Iterable<Buffer>, sortKeys: string): string {
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

function* manifestPieces(digests: Digests, browse: Iterable<Buffer>, sortKeys: string): Generator<string | Buffer> {
  let piece = '';
  for (const { path, digest } of digests.entries()) {
    piece += `${digest}  ${path}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
  yield* browse;
  yield `${sortKeys}  ${SORT_KEYS}\n`;
}

/** What a manifest says about the tree as a whole. Both are SHA-256 values, as hexadecimal digits. */
interface ManifestDigests {
  /** That of the manifest itself. */
  readonly manifest: string;
  /** That of the sort keys, from its last line. */
  readonly sortKeys: string;
}

/** Reads a tree's manifest once. Returns undefined if it cannot be read, or does not end with the sort keys. */
export function manifestDigests(files: TreeFiles): ManifestDigests | undefined {
  let end = Buffer.alloc(0);
  const manifest = digestOfPieces(function* () {
    for (const piece of files.pieces(MANIFEST)) {
      // a last line in two chunks
      end = Buffer.concat([end, piece]).subarray(-(64 + 2 + SORT_KEYS.length + 1));
      yield piece;
    }
  });
  const line = parseLine(end.toString().trimEnd());
  return manifest === undefined || line?.path !== SORT_KEYS ? undefined : { manifest, sortKeys: line.digest };
}

/** Returns the SHA-256 of a file, as hexadecimal digits; undefined if it cannot be read. */
export function digestOf(path: string): string | undefined {
  return digestOfPieces(() => piecesOf(path));
}

/** Like {@link digestOf}, for a file of a tree. */
export function digestIn(files: TreeFiles, path: string): string | undefined {
  return digestOfPieces(() => files.pieces(path));
}

function digestOfPieces(pieces: () => Iterable<Buffer>): string | undefined {
  const hash = createHash('sha256');
  try {
    for (const piece of pieces()) hash.update(piece);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

/** The shortest possible line, in bytes. */
const SHORTEST = 80;

/** Returns the largest number of lines that a manifest of this size can have. */
export function mostLines(bytes: number): number {
  return Math.floor(bytes / SHORTEST);
}

/** Yields the lines of a tree's manifest, and undefined for each invalid line. */
export function manifestLines(files: TreeFiles): Generator<ManifestLine | undefined> {
  return parsed(files.pieces(MANIFEST));
}

function* parsed(pieces: Iterable<Buffer>): Generator<ManifestLine | undefined> {
  for (const line of linesIn(pieces)) yield parseLine(line);
}

/** Reads the digests from a tree's manifest. Ignores lines for files that a tree with this layout does not have. */
export function readManifest(files: TreeFiles, layout: Layout): Digests {
  return digestsIn(files.pieces(MANIFEST), layout);
}

/** Like {@link readManifest}, but for a manifest in memory. Decodes it chunk by chunk, never the whole text at once. */
export function parseManifest(bytes: Buffer, layout: Layout): Digests {
  return digestsIn(piecesIn(bytes), layout);
}

/** Whether bytes are a manifest of palimpsest: it has at least one line, and each line names a file of a tree. */
export function isManifest(bytes: Buffer): boolean {
  let lines = 0;
  for (const line of parsed(piecesIn(bytes))) {
    if (line === undefined || !(line.path === SORT_KEYS || isBrowsePath(line.path) || isPagePath(line.path))) return false;
    lines += 1;
  }
  return lines > 0;
}

function digestsIn(bytes: Iterable<Buffer>, layout: Layout): Digests {
  const digests = new Digests(layout);
  for (const line of parsed(bytes)) if (line !== undefined) digests.set(line.path, Buffer.from(line.digest, 'hex'));
  return digests;
}
