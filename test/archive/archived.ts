import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { palimpsestJson } from '../support/palimpsest.ts';
import { buildArgs, differences, freshTree, pagesIn } from '../whole/trees.ts';

export { BASE_URL } from '../whole/trees.ts';

export const SAMPLE: string = fileURLToPath(new URL('../../data/sample', import.meta.url));

/** The forms of archives, each with the name of a target. */
export const FORMS = [
  ['wacz', 'history.wacz'],
  ['warc', 'history.warc.gz'],
  ['warc', 'history.warc'],
  ['bag', 'history-bag'],
] as const;

/** Builds a tree from sources. Returns its folder. */
export async function treeOf(folder: string, source: string, options: readonly string[] = []): Promise<string> {
  const [store, out] = [join(folder, 'store.db'), join(folder, 'out')];
  await palimpsestJson(['import', source, '--store', store]);
  await freshTree(store, out, options);
  return out;
}

/** Writes an archive of a tree. Returns its path. A time zone needs a process, because it holds from the start. */
export async function archiveOf(out: string, form: string, path: string, zone?: string): Promise<string> {
  await palimpsestJson(['archive', form, '--out', out, '--to', path], zone === undefined ? {} : { env: { TZ: zone } });
  return path;
}

/** Imports an archive into a new store, builds it, and returns how the tree differs from another one. */
export async function differencesAfterImport(
  archive: string,
  folder: string,
  out: string,
  options: readonly string[] = [],
): Promise<string[]> {
  const [store, copy] = [join(folder, 'copy.db'), join(folder, 'copy')];
  await palimpsestJson(['import', archive, '--store', store, '--require-complete']);
  await palimpsestJson(buildArgs(store, copy, options));
  return differences(pagesIn(copy), pagesIn(out));
}
