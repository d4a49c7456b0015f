import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnvelope } from '../../src/contract/envelope.ts';
import { isObject } from '../../src/contract/json.ts';
import { resolve } from '../../src/rewrite/resolve.ts';
import { BASE_URL } from './trees.ts';

/** The result of a reader that followed `next` from the first page to the last. */
export interface Reading {
  /** The `count` of the first page. */
  readonly began: number;
  /** Ids of records, or screen names of accounts. */
  readonly seen: ReadonlySet<string | number>;
  /** All values of `count` on the pages: more than one if the tree changed meanwhile. */
  readonly counts: ReadonlySet<number>;
  readonly pages: number;
}

/**
 * Reads a collection from the files on the disk like a client behind the rewrite rules.
 * @throws Error if `next` leads to a missing page, or a file is incomplete
 */
export async function follow(out: string, collection: 'data' | 'account', pause: (page: number) => Promise<void>): Promise<Reading> {
  const seen = new Set<string | number>();
  const counts = new Set<number>();
  let [pages, began] = [0, 0];
  for (let url: string | null = `${BASE_URL}/rest/${collection}/`; url !== null; ) {
    const [path = '', query = ''] = url.slice(BASE_URL.length).split('?');
    const { status, file } = resolve('GET', path, query);
    if (status !== 200 || file === undefined) throw new Error(`the status of ${url} is ${status}`);
    const envelope = parseEnvelope(JSON.parse(await readFile(join(out, file), 'utf8')));
    pages += 1;
    if (pages === 1) began = envelope.count;
    counts.add(envelope.count);
    for (const item of envelope.results) seen.add(keyOf(item));
    url = envelope.next;
    if (url !== null) await pause(pages);
  }
  return { began, seen, counts, pages };
}

function keyOf(item: unknown): string | number {
  const key = isObject(item) ? (item['id'] ?? item['screen_name']) : undefined;
  if (typeof key !== 'string' && typeof key !== 'number') throw new Error(`neither a record nor an account: ${JSON.stringify(item)}`);
  return key;
}
