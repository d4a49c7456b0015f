import { hash } from 'node:crypto';
import type { Collection } from '../../src/contract/collection.ts';
import { parseEnvelope } from '../../src/contract/envelope.ts';
import { isObject } from '../../src/contract/json.ts';
import { resolve } from '../../src/rewrite/resolve.ts';
import { staticPages, withAsOf } from '../composed/composed-pages.ts';
import type { Running } from '../conformance/subject.ts';
import { BASE_URL } from '../whole/trees.ts';

const BASE = new URL(BASE_URL).pathname;

/** A generation as the static layout shows it. */
interface Known {
  readonly generation: number;
  /** How many items of each collection were removed since the generation before. */
  readonly removed: Readonly<Record<Collection, number>>;
  /** The SHA-256 of each page, by its path; and of the page with `?as_of=`. */
  readonly pages: ReadonlyMap<string, string>;
  readonly pagesAsOf: ReadonlyMap<string, string>;
  readonly items: Readonly<Record<Collection, ReadonlySet<unknown>>>;
}

/** All generations that readers may see. */
export class KnownGenerations {
  readonly all: Known[] = [];

  /** Adds the next generation, from the tree of the static layout. */
  add(out: string): void {
    const pages = staticPages(out);
    const generation = this.all.length + 1;
    const before = this.all.at(-1);
    const items = { data: itemsIn(pages, 'data'), account: itemsIn(pages, 'account') };
    const lost = (collection: Collection) => [...(before?.items[collection] ?? [])].filter((item) => !items[collection].has(item)).length;
    this.all.push({
      generation,
      removed: { data: lost('data'), account: lost('account') },
      pages: new Map([...pages].map(([path, page]) => [path, digest(page)])),
      pagesAsOf: new Map([...pages].map(([path, page]) => [path, digest(withAsOf(page, BASE_URL, generation))])),
      items,
    });
  }

  /** Returns the first generation from a number on in which a page has these bytes. */
  withPage(from: number, path: string, text: string): number | undefined {
    return this.all.find(({ generation, pages }) => generation >= from && pages.get(path) === digest(text))?.generation;
  }

  /** Whether an account was removed after one generation and up to another one. */
  hasRemoval(after: number, upTo: number): boolean {
    return this.all.slice(after, upTo).some(({ removed }) => removed.account > 0);
  }
}

/** What a reader saw from the first page to the last. */
export interface Walk {
  /** The first generation and the last one. */
  readonly from: number;
  readonly to: number;
  /** Everything that is wrong. */
  readonly faults: readonly string[];
  /** How many items it missed because of a removal. */
  readonly missed: number;
  /** Whether the generation of an `as_of` walk was dropped by a removal, which ends the walk. */
  readonly isDropped: boolean;
}

interface WalkOptions {
  readonly ask: Running['ask'];
  readonly known: KnownGenerations;
  readonly pause: () => Promise<unknown>;
}

/** Follows `next` in the present state. Each page must be a page of one state, and the states must not go back. */
export async function walkPresent(collection: Collection, { ask, known, pause }: WalkOptions): Promise<Walk> {
  const seen = new Set<unknown>();
  let [from, to] = [0, 1];
  for (let url: string | null = `${BASE_URL}/rest/${collection}/`; url !== null; await pause()) {
    const { status, body } = await ask(url.slice(new URL(BASE_URL).origin.length));
    // a removal can make the collection shorter than the page that a link names
    if (status === 404 && known.hasRemoval(to, known.all.length)) break;
    if (status !== 200) return broken(from, to, `${url} has the status ${status}`);
    const found = known.withPage(to, fileOf(url), body.toString());
    if (found === undefined) return broken(from, to, `${url} is no page of a state from generation ${to} on`);
    to = found;
    from ||= found;
    const { next, results } = parseEnvelope(JSON.parse(body.toString()));
    for (const item of results) seen.add(keyOf(item));
    url = next;
  }
  const during = known.all.slice(from - 1, to);
  const missed = [...(during[0]?.items[collection] ?? [])].filter(
    (item) => !seen.has(item) && during.every(({ items }) => items[collection].has(item)),
  );
  // the items after a removed one move to the front by one
  const most = during.slice(1).reduce((sum, { removed }) => sum + removed[collection], 0);
  const faults = missed.length > most ? [`${collection}: ${missed.length} items missed, ${most} removed, from ${from} to ${to}`] : [];
  return { from, to, faults, missed: missed.length, isDropped: false };
}

/** Follows `next` in an earlier state, or in the one of this moment. Each page must be a page of this one state. */
export async function walkAsOf(collection: Collection, asOf: string, { ask, known, pause }: WalkOptions): Promise<Walk> {
  const seen = new Set<unknown>();
  let state: Known | undefined;
  for (let url: string | null = `${BASE_URL}/rest/${collection}/?as_of=${asOf}`; url !== null; await pause()) {
    const { status, body } = await ask(url.slice(new URL(BASE_URL).origin.length));
    const from = state?.generation ?? Number(asOf);
    // a removal drops all earlier states
    if (status === 404 && known.hasRemoval(from, known.all.length)) return { from, to: from, faults: [], missed: 0, isDropped: true };
    if (status !== 200) return broken(from, from, `${url} has the status ${status}`);
    const text = digest(body.toString());
    state ??= known.all.find(({ pagesAsOf }) => pagesAsOf.get(fileOf(`${BASE_URL}/rest/${collection}/`)) === text);
    if (state === undefined || state.pagesAsOf.get(fileOf(url)) !== text) return broken(from, from, `${url} is no page of its state`);
    const { next, results } = parseEnvelope(JSON.parse(body.toString()));
    for (const item of results) seen.add(keyOf(item));
    url = next;
  }
  const generation = state?.generation ?? 0;
  const missed = [...(state?.items[collection] ?? [])].filter((item) => !seen.has(item)).length;
  const faults = missed > 0 ? [`${collection} as of ${generation}: ${missed} items missed`] : [];
  return { from: generation, to: generation, faults, missed, isDropped: false };
}

function broken(from: number, to: number, fault: string): Walk {
  return { from, to, faults: [fault], missed: 0, isDropped: false };
}

function fileOf(url: string): string {
  const [path = '', query = ''] = url.slice(new URL(BASE_URL).origin.length).split('?');
  const { file } = resolve('GET', path, query, BASE);
  if (file === undefined) throw new Error(`${url} is no page`);
  return file;
}

function itemsIn(pages: ReadonlyMap<string, string>, collection: Collection): ReadonlySet<unknown> {
  const of = [...pages].filter(([path]) => path.startsWith(`rest/${collection}/`));
  return new Set(of.flatMap(([, page]) => parseEnvelope(JSON.parse(page)).results.map(keyOf)));
}

function keyOf(item: unknown): unknown {
  return isObject(item) ? (item['id'] ?? item['screen_name']) : undefined;
}

const digest = (text: string) => hash('sha256', text);
