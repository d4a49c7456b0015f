import { STORE_KIND } from '../../src/backup/store-version.ts';
import { commitPath, HEAD, parseCommit } from '../../src/versions/commit-format.ts';

/** Returns the objects of a target that no kept version of the store needs. */
export function strays(objects: ReadonlyMap<string, Buffer>): string[] {
  const commit = parseCommit(STORE_KIND, HEAD, objects.get(HEAD) ?? Buffer.of());
  const commits = Array.from({ length: commit?.number ?? 0 }, (_, index) => commitPath(index + 1));
  const needed = new Set(['palimpsest.json', HEAD, ...commits, ...(commit?.versions ?? []).map(({ file }) => file)]);
  return [...objects.keys()].filter((path) => !needed.has(path));
}
