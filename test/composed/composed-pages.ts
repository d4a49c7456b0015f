import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHead } from '../../src/composed/head.ts';
import type { Collection } from '../../src/contract/collection.ts';
import { chunkPath } from '../../src/rewrite/chunks.ts';
import { compose, findPage } from '../../src/rewrite/compose.ts';
import { filesIn } from '../support/folder.ts';

/** Composes a page of a tree. Returns its text, or the status of an error, or undefined if there is no such page. */
export async function composed(out: string, path: string, query = '', reads: string[] = []): Promise<string | number | undefined> {
  const head = parseHead(readFileSync(join(out, 'head.json')));
  if (head === undefined) throw new Error('a damaged head');
  const read = async (hash: string) => {
    reads.push(hash);
    return readFileSync(join(out, chunkPath(hash)));
  };
  const page = await findPage(head, path, query, read);
  if (page === undefined) return undefined;
  return 'status' in page ? page.status : Buffer.concat(await compose(page, read)).toString();
}

/** Returns the text of each page file of a static tree, by its path. */
export function staticPages(out: string): Map<string, string> {
  const pages = [...filesIn(out)].filter(([path]) => path.startsWith('rest/'));
  return new Map(pages.map(([path, bytes]) => [path, bytes.toString()]));
}

/** Returns a page of the static layout with the links that it has with `?as_of=`. */
export function withAsOf(page: string, baseUrl: string, generation: number): string {
  const [head = '', ...rest] = page.split('"results":');
  const collections: readonly Collection[] = ['data', 'account'];
  const changed = collections.reduce(
    (text, name) =>
      text
        .replaceAll(`${baseUrl}/rest/${name}/?page=`, `${baseUrl}/rest/${name}/?as_of=${generation}&page=`)
        .replaceAll(`${baseUrl}/rest/${name}/"`, `${baseUrl}/rest/${name}/?as_of=${generation}"`),
    head,
  );
  return [changed, ...rest].join('"results":');
}
