import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Returns the paths of files beside a store whose names begin with its name, such as a rejects file or a damaged store.
 * Leaves out the files that SQLite uses.
 */
export function filesBeside(store: string): string[] {
  const [folder, name] = [dirname(store), basename(store)];
  const isBeside = (entry: string) => /^[-.]/.test(entry.slice(name.length)) && !/^-(wal|shm|journal)$/.test(entry.slice(name.length));
  return readdirSync(folder)
    .filter((entry) => entry.startsWith(name) && isBeside(entry))
    .map((entry) => join(folder, entry))
    .toSorted();
}
