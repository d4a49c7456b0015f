import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { isObject } from '../contract/json.ts';
import { VERSIONS_MARKER } from '../contract/target-marker.ts';
import { formOf } from '../tree/tree-files.ts';
import { HEAD } from '../versions/commit.ts';

/** What a path has: pages as files, the ZIP of a tree, or the versions of a site. */
export type SiteForm = 'files' | 'zip' | 'versions';

/** Decides what a path has or will have. */
export function siteForm(out: string): SiteForm {
  if (formOf(out) === 'zip') return 'zip';
  return existsSync(join(out, HEAD)) ? 'versions' : 'files';
}

/** Returns the path of the tree: of a folder with versions, the ZIP of the current one, or the folder if it cannot be read. */
export function treeAt(out: string): string {
  if (siteForm(out) !== 'versions') return out;
  try {
    const head: unknown = JSON.parse(readFileSync(join(out, HEAD), 'utf8'));
    const current: unknown = isObject(head) && Array.isArray(head['versions']) ? head['versions'].at(-1) : undefined;
    return isObject(current) && typeof current['file'] === 'string' ? join(out, current['file']) : out;
  } catch {
    return out;
  }
}

/**
 * Refuses a folder with versions whose head cannot be read: it is no folder without a tree, into which one could build.
 * @throws Failure no-tree
 */
export function refuseWithoutHead(out: string): void {
  if (!existsSync(join(out, VERSIONS_MARKER)) || treeAt(out) !== out) return;
  const file = join(out, HEAD);
  throw new Failure('no-tree', `${HEAD} of the versions in ${out} is missing or damaged`, {
    place: { file },
    expected: 'a copy of the newest commit',
    found: existsSync(file) ? 'a damaged file' : 'no file',
    hint: 'publish again, which writes it again; or copy the folder again',
  });
}
