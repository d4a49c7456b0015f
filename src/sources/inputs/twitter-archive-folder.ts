import { basename, dirname, extname, join } from 'node:path';
import type { Place } from '../../contract/failure.ts';
import type { FormatName } from '../formats/all-formats.ts';
import type { Input } from '../source.ts';

/**
 * The files of a Twitter archive that describe its account. A folder without account.js is not an archive.
 * The contents are joined into one object under these names.
 */
const PARTS = ['account', 'profile', 'verified', 'screen-name-change', 'manifest'] as const;

type PartName = (typeof PARTS)[number];

interface Part {
  readonly name: PartName;
  readonly input: Input;
}

/** The folder of a Twitter archive: several files describe one account. */
export interface ArchiveFolder {
  readonly parts: Part[];
  /** Its other files, which are not read: tweets, media, its viewer. */
  readonly skipped: Input[];
}

/**
 * Returns the inputs in their order. Each Twitter archive is one element, at the position of its first part.
 * An input that was named as a source is never skipped.
 * @param from the format of all snapshots, if it is not detected; if it is another one, nothing is joined
 */
export function withArchivesJoined(inputs: readonly Input[], from: FormatName | undefined): (ArchiveFolder | Input)[] {
  const folders = new Map<string, ArchiveFolder>();
  if (from === undefined || from === 'twitter-archive') {
    for (const input of inputs) if (partIn(input) === 'account') folders.set(dirname(pathOf(input)), { parts: [], skipped: [] });
  }
  if (folders.size === 0) return [...inputs];
  return inputs.flatMap((input): (ArchiveFolder | Input)[] => {
    const name = partIn(input);
    const folder = name === undefined ? undefined : folders.get(dirname(pathOf(input)));
    if (name !== undefined && folder !== undefined) return folder.parts.push({ name, input }) === 1 ? [folder] : [];
    const owner = input.isNamed ? undefined : ownerOf(pathOf(input), folders);
    owner?.skipped.push(input);
    return owner === undefined ? [input] : [];
  });
}

/** Returns the file and the path of a field in an archive. The path begins with the name of the file. */
export function placeInArchive({ parts }: ArchiveFolder, field: string = PARTS[0]): Place {
  const owner = parts.find(({ name }) => field.split(/[.[]/, 1)[0] === name) ?? parts[0];
  return owner === undefined ? { field } : { file: owner.input.name, field };
}

/** Returns the path of a file, or of a member inside its archive. */
function pathOf({ name, member }: Input): string {
  return member === undefined ? name : member.path;
}

function partIn(input: Input): PartName | undefined {
  const name = basename(pathOf(input));
  return PARTS.find((part) => name === `${part}.js` || name === `${part}.js.gz`);
}

/** The types of the other files of an archive. The types of sources are not among them. */
const OTHER_TYPES: ReadonlySet<string> = new Set([
  ...['.js', '.html', '.txt', '.css', '.map', '.woff', '.woff2', '.ttf', '.eot', '.ico', '.svg'],
  ...['.jpg', '.jpeg', '.png', '.gif', '.webp', '.mp4', '.mov', '.m4a', '.mp3'],
]);

/** Returns the archive that a file belongs to: it is in its folder or below, or it is part of the viewer, which is beside `data`. */
function ownerOf(path: string, folders: ReadonlyMap<string, ArchiveFolder>): ArchiveFolder | undefined {
  const type = extname(path).toLowerCase();
  if (!OTHER_TYPES.has(type)) return undefined;
  const beside = (folder: string) => folders.get(join(dirname(folder), 'data'));
  if (type === '.html' && beside(path) !== undefined) return beside(path);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const owner = folders.get(folder) ?? (basename(folder) === 'assets' ? beside(folder) : undefined);
    if (owner !== undefined || folder === dirname(folder)) return owner;
  }
}
