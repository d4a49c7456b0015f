import { createHash } from 'node:crypto';
import { isPagePath } from '../layout.ts';
import { SORT_KEYS } from '../sort-keys.ts';
import type { TreeFiles } from '../tree-files.ts';
import { linesIn, type ManifestLine, parseLine, piecesIn, writeHashed } from './lines.ts';
import { isBrowsePath } from './listing.ts';

/** The list of all files with their SHA-256, in the format of `sha256sum -c`: the pages, the browse files, the sort keys. */
export const MANIFEST = 'manifest-sha256.txt';

/**
 * @param lines those of the pages and the browse files, in chunks
 * @param sortKeys the SHA-256 of the tree's sort keys
 * @returns the SHA-256 of its bytes, as hexadecimal digits
 */
export function writeManifest(path: string, lines: Iterable<string>, sortKeys: string): string {
  function* pieces(): Generator<string> {
    yield* lines;
    yield `${sortKeys}  ${SORT_KEYS}\n`;
  }
  return writeHashed(path, pieces());
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
  function* pieces(): Generator<Buffer> {
    for (const piece of files.pieces(MANIFEST)) {
      // a last line in two chunks
      end = Buffer.concat([end, piece]).subarray(-(64 + 2 + SORT_KEYS.length + 1));
      yield piece;
    }
  }
  const manifest = digestOf(pieces());
  const line = parseLine(end.toString().trimEnd());
  return manifest === undefined || line?.path !== SORT_KEYS ? undefined : { manifest, sortKeys: line.digest };
}

/** Returns the SHA-256 of a file in chunks, as hexadecimal digits; undefined if it cannot be read. */
export function digestOf(pieces: Iterable<Buffer>): string | undefined {
  const hash = createHash('sha256');
  try {
    for (const piece of pieces) hash.update(piece);
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

/** Yields the lines of a manifest in chunks, and undefined for each invalid line. */
export function* manifestLines(pieces: Iterable<Buffer>): Generator<ManifestLine | undefined> {
  for (const line of linesIn(pieces)) yield parseLine(line);
}

/** Whether bytes are a manifest of palimpsest: it has at least one line, and each line names a file of a tree. */
export function isManifest(bytes: Buffer): boolean {
  let lines = 0;
  for (const line of manifestLines(piecesIn(bytes))) {
    if (line === undefined || !(line.path === SORT_KEYS || isBrowsePath(line.path) || isPagePath(line.path))) return false;
    lines += 1;
  }
  return lines > 0;
}
