import { closeSync, readSync } from 'node:fs';
import { partOf } from '../browse/parts.ts';
import { HOME } from '../browse/paths.ts';
import { linesIn, piecesOf } from './lines.ts';
import { type ManifestLine, parseLine } from './manifest-line.ts';
import { openRegularFile } from './regular-file.ts';

/** The folder of all browse files except the home page. */
export const BROWSE_FOLDER = 'browse';

/** Whether a path has the form of the path of a browse file: one without special segments such as `..`. */
export function isBrowsePath(path: string): boolean {
  return path === HOME || (/^browse(\/[\w~-][\w.~-]*)+$/.test(path) && !path.endsWith('.'));
}

/** Bytes with the lines of a manifest, in a file or in memory. */
export interface LineSource {
  /** Returns all bytes in chunks. */
  readonly pieces: () => Iterable<Buffer>;
  /** Returns the bytes from `start` to before `end`. */
  readonly read: (start: number, end: number) => Buffer;
}

export function linesOfFile(path: string): LineSource {
  const read = (start: number, end: number) => {
    const bytes = Buffer.allocUnsafe(end - start);
    const file = openRegularFile(path);
    try {
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
    } finally {
      closeSync(file);
    }
  };
  return { pieces: () => piecesOf(path), read };
}

/** Where the lines of the browse files of each group are: the first byte and the byte after the last, once or several times. */
export type Extents = ReadonlyMap<string, readonly number[]>;

/** The group of files that are of no part that this release knows. */
export const UNKNOWN_PART = '';

/** Returns the group of a path in which files are compared. */
export function groupOf(path: string): string {
  return partOf(path) ?? UNKNOWN_PART;
}

/**
 * Finds the lines of browse files in a manifest. Memory depends on the number of groups, not of files.
 * @param keyOf returns the group of a path
 */
export function findBrowseLines({ pieces }: LineSource, keyOf: (path: string) => string = groupOf): Extents {
  const extents = new Map<string, number[]>();
  let [last, start, end]: [string | undefined, number, number] = [undefined, 0, 0];
  const close = () => {
    if (last === undefined) return;
    const known = extents.get(last);
    if (known === undefined) extents.set(last, [start, end]);
    else known.push(start, end);
  };
  // in this encoding, a character is a byte
  for (const text of linesIn(pieces(), 'latin1')) {
    const path = parseLine(text)?.path;
    const key = path !== undefined && isBrowsePath(path) ? keyOf(path) : undefined;
    if (key !== last) {
      close();
      [last, start] = [key, end];
    }
    end += text.length + 1;
  }
  close();
  return extents;
}

/** Yields the lines of one group. */
export function* browseLinesIn(source: LineSource, extents: Extents, key: string): Generator<ManifestLine> {
  const places = extents.get(key) ?? [];
  for (let at = 0; at < places.length; at += 2) {
    for (const text of source
      .read(places[at] ?? 0, places[at + 1] ?? 0)
      .toString('latin1')
      .split('\n')) {
      const line = parseLine(text);
      if (line !== undefined) yield line;
    }
  }
}
