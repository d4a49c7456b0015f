import { closeSync, fstatSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { partOf } from '../../browse/parts.ts';
import { HOME } from '../../browse/paths.ts';
import { Failure } from '../../contract/failure.ts';
import { readFully } from '../../contract/files/file-bytes.ts';
import { pageGroupOf } from '../layout.ts';
import { openRegularFile } from '../regular-file.ts';
import type { TreeFiles } from '../tree-files.ts';
import { linesIn, type ManifestLine, parseLine, piecesIn, piecesOf } from './lines.ts';

/** The folder of all browse files except the home page. */
export const BROWSE_FOLDER = 'browse';

/** Whether a path has the form of the path of a browse file: one without special segments such as `..`. */
export function isBrowsePath(path: string): boolean {
  return path === HOME || (/^browse(\/[\w~-][\w.~-]*)+$/.test(path) && !path.endsWith('.'));
}

/** What has the lines of a manifest: the path of a file, or bytes. */
type Source = string | Uint8Array;

/** Returns the path of a file of a tree. From a ZIP, the whole file is in memory that threads share. */
export function linesOfTree(files: TreeFiles, path: string): Source {
  if (files.form === 'folder') return join(files.out, path);
  const bytes = files.read(path);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** Returns the bytes from `start` to before `end`, or to the end of a source without a last newline. */
function readLines({ source, version }: Pick<Listing, 'source' | 'version'>, start: number, end: number): Buffer {
  if (typeof source !== 'string') return Buffer.from(source.buffer, source.byteOffset + start, Math.min(end, source.length) - start);
  const bytes = Buffer.allocUnsafe(end - start);
  const file = openRegularFile(source);
  try {
    if (versionOf(fstatSync(file)) !== version) throw replaced(source);
    return bytes.subarray(0, readFully(file, bytes, start));
  } finally {
    closeSync(file);
  }
}

/** A listing without the lines of a replaced manifest would look like a tree without files, and their copies would be deleted. */
function replaced(file: string): Failure {
  return new Failure('tree-edited', `${file} was replaced during this run`, {
    place: { file },
    expected: 'the file that was there when the run began',
    found: 'a newer one',
    hint: 'run this command again when no build is running',
  });
}

function currentVersion(source: Source): string {
  return typeof source === 'string' ? versionOf(statSync(source)) : '';
}

function versionOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs}`;
}

/** The lines of a manifest, by group. Memory depends on the number of groups, not of files. It can be posted to another thread. */
export interface Listing {
  readonly source: Source;
  /** Which file had the path when it was listed; '' for bytes. */
  readonly version: string;
  /** Where the lines of each group are: the first byte and the byte after the last, once or several times. */
  readonly extents: ReadonlyMap<string, readonly number[]>;
  /** The number of lines in all groups. */
  readonly files: number;
}

/** The listing of a tree without files. */
export const NO_FILES: Listing = { source: Buffer.alloc(0), version: '', extents: new Map(), files: 0 };

/** Returns the group of the path of a browse file: its part, or 'other' if this release knows none. Returns undefined for other paths. */
export function browseGroupOf(path: string): string | undefined {
  return isBrowsePath(path) ? (partOf(path) ?? 'other') : undefined;
}

/** Returns the group of a path: that of its span of pages, or its part of the browse files. Returns undefined for other paths. */
export function groupOf(path: string): string | undefined {
  return pageGroupOf(path) ?? browseGroupOf(path);
}

export function browseGroups({ extents }: Listing): string[] {
  return [...extents.keys()].filter((group) => !group.startsWith('rest/'));
}

/**
 * Finds the lines of the groups in a manifest.
 * @param source the bytes of the manifest, or the path of its file
 * @param groupBy returns the group of a path; undefined for a path that is left out
 * @param version the version of the file that an earlier listing has
 * @throws Failure tree-edited if the file is replaced while it is read
 */
export function listFiles(
  source: Source,
  groupBy: (path: string) => string | undefined = groupOf,
  version: string = currentVersion(source),
): Listing {
  const extents = new Map<string, number[]>();
  let [last, start, end]: [string | undefined, number, number] = [undefined, 0, 0];
  let files = 0;
  const close = () => {
    if (last === undefined) return;
    const known = extents.get(last);
    if (known === undefined) extents.set(last, [start, end]);
    else known.push(start, end);
  };
  // in this encoding, a character is a byte
  for (const text of linesIn(
    typeof source === 'string' ? piecesOf(source) : piecesIn(readLines({ source, version }, 0, source.length)),
    'latin1',
  )) {
    const path = parseLine(text)?.path;
    const group = path === undefined ? undefined : groupBy(path);
    if (group !== undefined) files += 1;
    if (group !== last) {
      close();
      [last, start] = [group, end];
    }
    end += text.length + 1;
  }
  close();
  if (typeof source === 'string' && currentVersion(source) !== version) throw replaced(source);
  return { source, version, extents, files };
}

/** @throws Failure tree-edited if the file was replaced since it was listed */
export function textOfGroup(listing: Listing, group: string): string {
  const places = listing.extents.get(group) ?? [];
  let text = '';
  for (let at = 0; at < places.length; at += 2) text += readLines(listing, places[at] ?? 0, places[at + 1] ?? 0).toString('latin1');
  return text;
}

/** Yields the lines of one group: see {@link textOfGroup}. */
export function* linesOfGroup(listing: Listing, group: string): Generator<ManifestLine> {
  for (const text of textOfGroup(listing, group).split('\n')) {
    const line = parseLine(text);
    if (line !== undefined) yield line;
  }
}

export function* browseLines(listing: Listing): Generator<ManifestLine> {
  for (const group of browseGroups(listing)) yield* linesOfGroup(listing, group);
}
