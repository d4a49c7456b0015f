import { basename, dirname, extname } from 'node:path';
import type { Place } from '../contract/failure.ts';
import type { Input } from './source.ts';

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
  readonly parts: readonly Part[];
}

/**
 * Returns the inputs in their order. Each Twitter archive is one element, at the position of its first part.
 * The other files of an archive (tweets, media, its viewer) are left out.
 */
export function withArchivesJoined(inputs: readonly Input[]): (ArchiveFolder | Input)[] {
  const folders = new Map<string, Part[]>();
  for (const input of inputs) if (partIn(input) === 'account') folders.set(dirname(pathOf(input)), []);
  for (const input of inputs) {
    const name = partIn(input);
    if (name !== undefined) folders.get(dirname(pathOf(input)))?.push({ name, input });
  }
  const roots = new Set([...folders.keys()].filter((folder) => basename(folder) === 'data').map(dirname));
  return inputs.flatMap((input): (ArchiveFolder | Input)[] => {
    const parts = partIn(input) === undefined ? undefined : folders.get(dirname(pathOf(input)));
    if (parts !== undefined) return parts[0]?.input === input ? [{ parts }] : [];
    return isOfArchive(pathOf(input), folders, roots) ? [] : [input];
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

/** Extensions of files that never belong to an archive. An archive has scripts, pictures and pages. */
const NEVER_IN_ARCHIVE: ReadonlySet<string> = new Set(['', '.json', '.jsonl', '.ndjson', '.gz']);

/** @param roots folders above `data`; the viewer of an archive is there */
function isOfArchive(path: string, folders: ReadonlyMap<string, unknown>, roots: ReadonlySet<string>): boolean {
  if (folders.size === 0 || NEVER_IN_ARCHIVE.has(extname(path))) return false;
  if (extname(path) === '.html' && roots.has(dirname(path))) return true;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (folders.has(folder)) return true;
    if (basename(folder) === 'assets' && roots.has(dirname(folder))) return true;
    if (folder === dirname(folder)) return false;
  }
}
