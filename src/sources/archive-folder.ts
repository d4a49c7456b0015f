import { basename, dirname, extname } from 'node:path';
import type { Place } from '../contract/failure.ts';
import type { Input } from './source.ts';

/**
 * The files of a Twitter archive that tell of its account, account.js first: without it there is none.
 * What they hold is joined under these names.
 */
const PARTS = ['account', 'profile', 'verified', 'screen-name-change', 'manifest'] as const;

type PartName = (typeof PARTS)[number];

interface Part {
  readonly name: PartName;
  readonly input: Input;
}

/** The folder of a Twitter archive: one account lies in several files. */
export interface ArchiveFolder {
  readonly parts: readonly Part[];
}

/**
 * The inputs one by one, but each Twitter archive as a whole where the first of its parts stands; what else an
 * archive holds (tweets, media, its viewer) is left out.
 */
export function withArchivesJoined(inputs: readonly Input[]): (ArchiveFolder | Input)[] {
  const folders = new Map<string, Part[]>();
  for (const input of inputs) if (partIn(input) === 'account') folders.set(dirname(input.name), []);
  for (const input of inputs) {
    const name = partIn(input);
    if (name !== undefined) folders.get(dirname(input.name))?.push({ name, input });
  }
  const roots = new Set([...folders.keys()].filter((folder) => basename(folder) === 'data').map(dirname));
  return inputs.flatMap((input): (ArchiveFolder | Input)[] => {
    const parts = partIn(input) === undefined ? undefined : folders.get(dirname(input.name));
    if (parts !== undefined) return parts[0]?.input === input ? [{ parts }] : [];
    return isOfArchive(input.name, folders, roots) ? [] : [input];
  });
}

/** Where in an archive a field stands: its path begins with the name of its file. */
export function placeInArchive({ parts }: ArchiveFolder, field: string = PARTS[0]): Place {
  const owner = parts.find(({ name }) => field.split(/[.[]/, 1)[0] === name) ?? parts[0];
  return owner === undefined ? { field } : { file: owner.input.name, field };
}

function partIn(input: Input): PartName | undefined {
  const name = basename(input.name);
  return PARTS.find((part) => name === `${part}.js` || name === `${part}.js.gz`);
}

/** What an archive cannot be the owner of: it has scripts, pictures and pages. */
const FOREIGN: ReadonlySet<string> = new Set(['', '.json', '.jsonl', '.ndjson', '.gz']);

/** @param roots folders above `data`, where archives have their viewer */
function isOfArchive(path: string, folders: ReadonlyMap<string, unknown>, roots: ReadonlySet<string>): boolean {
  if (folders.size === 0 || FOREIGN.has(extname(path))) return false;
  if (extname(path) === '.html' && roots.has(dirname(path))) return true;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (folders.has(folder)) return true;
    if (basename(folder) === 'assets' && roots.has(dirname(folder))) return true;
    if (folder === dirname(folder)) return false;
  }
}
