import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { draftsIn } from '../contract/draft.ts';

/**
 * Returns the paths of files beside a store that can have its data: those whose names begin with its name, such as a rejects file or a
 * damaged store, and drafts of exports and archives. Leaves out the files that SQLite uses.
 */
export function filesBeside(store: string): string[] {
  const [folder, name] = [dirname(store), basename(store)];
  const isBeside = (entry: string) => /^[-.]/.test(entry.slice(name.length)) && !/^-(wal|shm|journal)$/.test(entry.slice(name.length));
  const named = readdirSync(folder).filter((entry) => entry.startsWith(name) && isBeside(entry));
  return [...named.map((entry) => join(folder, entry)), ...draftsIn(folder).map(({ path }) => path)].toSorted();
}
