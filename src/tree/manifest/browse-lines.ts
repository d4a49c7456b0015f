import { closeSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { partOf } from '../../browse/parts.ts';
import { HOME } from '../../browse/paths.ts';
import { openRegularFile } from '../regular-file.ts';
import type { TreeFiles } from '../tree-files.ts';
import { linesIn, type ManifestLine, parseLine, piecesIn, piecesOf } from './lines.ts';

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

/** Returns the lines of a file of a tree. From a ZIP, the whole file is in memory. */
export function linesOfTree(files: TreeFiles, path: string): LineSource {
  return files.form === 'folder' ? linesOfFile(join(files.out, path)) : linesOfBytes(files.read(path));
}

/** Bytes in memory with the lines of a manifest. */
export function linesOfBytes(bytes: Buffer): LineSource {
  return { pieces: () => piecesIn(bytes), read: (start, end) => bytes.subarray(start, end) };
}

/** Where the lines of each group are: the first byte and the byte after the last, once or several times. */
export type Extents = ReadonlyMap<string, readonly number[]>;

/** The lines of browse files in a manifest, by group. Memory depends on the number of groups, not of files. */
export interface BrowseListing {
  readonly source: LineSource;
  readonly extents: Extents;
}

/** The listing of a tree without browse files. */
export const NO_BROWSE: BrowseListing = { source: linesOfBytes(Buffer.alloc(0)), extents: new Map() };

/** Returns the part of a path, in which files of two trees are compared; '' for files of no part that this release knows. */
export function partOrUnknown(path: string): string {
  return partOf(path) ?? '';
}

/**
 * Finds the lines of browse files in a manifest.
 * @param groupOf returns the group of a path
 */
export function listBrowseFiles(source: LineSource, groupOf: (path: string) => string = partOrUnknown): BrowseListing {
  const extents = new Map<string, number[]>();
  let [last, start, end]: [string | undefined, number, number] = [undefined, 0, 0];
  const close = () => {
    if (last === undefined) return;
    const known = extents.get(last);
    if (known === undefined) extents.set(last, [start, end]);
    else known.push(start, end);
  };
  // in this encoding, a character is a byte
  for (const text of linesIn(source.pieces(), 'latin1')) {
    const path = parseLine(text)?.path;
    const group = path !== undefined && isBrowsePath(path) ? groupOf(path) : undefined;
    if (group !== last) {
      close();
      [last, start] = [group, end];
    }
    end += text.length + 1;
  }
  close();
  return { source, extents };
}

/** Yields the lines of one group. */
export function* linesOfGroup({ source, extents }: BrowseListing, group: string): Generator<ManifestLine> {
  const places = extents.get(group) ?? [];
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

/** Yields the lines of all groups. */
export function* allBrowseLines(listing: BrowseListing): Generator<ManifestLine> {
  for (const group of listing.extents.keys()) yield* linesOfGroup(listing, group);
}
