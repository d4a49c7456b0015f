import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnvelope } from '../../src/contract/envelope.ts';
import { isObject } from '../../src/contract/json.ts';
import { resolve } from '../../src/rewrite/resolve.ts';
import { BASE_URL } from './trees.ts';

/** What a reader saw who followed `next` from the first page to the last. */
export interface Reading {
  /** What the first page said `count` was: with that the reader began. */
  readonly began: number;
  /** Ids of records, screen names of accounts. */
  readonly seen: ReadonlySet<string | number>;
  /** All that pages said `count` was: more than one where the tree changed on the way. */
  readonly counts: ReadonlySet<number>;
  readonly pages: number;
}

/**
 * Reads a collection from the files on the disk as a client would through the rewrite layer.
 * @throws Error where `next` leads nowhere, or a file is not whole
 */
export async function follow(out: string, collection: 'data' | 'account', pause: (page: number) => Promise<void>): Promise<Reading> {
  const seen = new Set<string | number>();
  const counts = new Set<number>();
  let [pages, began] = [0, 0];
  for (let url: string | null = `${BASE_URL}/rest/${collection}/`; url !== null; ) {
    const [path = '', query = ''] = url.slice(BASE_URL.length).split('?');
    const { status, file } = resolve('GET', path, query);
    if (status !== 200 || file === undefined) throw new Error(`${url} is answered with ${status}`);
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
