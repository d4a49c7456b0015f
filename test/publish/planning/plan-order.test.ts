import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Stage } from '../../../src/publish/planning/steps.ts';
import { planCollection } from '../../../src/publish/planning/upload-order.ts';
import type { TreeSize } from '../../../src/publish/state/state.ts';
import { pagePath, pathsOf } from '../../../src/tree/layout.ts';
import { Digests } from '../../../src/tree/manifest/digests.ts';
import { movementBetween } from '../../../src/tree/moved-items.ts';
import type { SortKeys } from '../../../src/tree/sort-keys.ts';
import { times } from '../../support/proof.ts';
import { comparing } from './comparisons.ts';
import { missed, type Page, type Phase, paged } from './simulated-readers.ts';

/** Accounts in their order, by the ids of their first records. Some of them have new records. */
interface Tree {
  readonly keys: readonly number[];
  readonly news: ReadonlySet<number>;
}

function digestsOf({ keys, news }: Tree, size: number): Digests {
  const pages = paged(keys, size).slice(1);
  const digests = new Digests({ pages: { data: 1, account: pages.length }, encodings: [] });
  const digest = (page: Page = new Set()) =>
    createHash('sha256')
      // each page contains the total count
      .update([...page].map((key) => `${key}${news.has(key)}`).join(' ') + keys.length)
      .digest('hex');
  for (const [index, page] of pages.entries()) {
    for (const path of pathsOf('account', index + 1, pages.length)) digests.set(path, digest(page));
  }
  return digests;
}

const keysOf = (keys: readonly number[], size: number): SortKeys => ({
  dataPageSize: size,
  accountPageSize: size,
  ranges: [],
  accounts: keys,
});

const sizeOf = (keys: readonly number[], size: number): TreeSize => ({
  records: 0,
  accounts: keys.length,
  data_pages: 1,
  account_pages: paged(keys, size).length - 1,
  page_size: size,
  account_page_size: size,
  compress: '',
});

const keys = fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 200 });
/** Accounts after all others. */
const later = fc.uniqueArray(fc.integer({ min: 401, max: 500 }), { maxLength: 60 });
const few = fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 4 });
const cases = fc.record({
  before: keys,
  added: fc.oneof(
    keys,
    later,
    fc.tuple(few, later).map((both) => both.flat()),
  ),
  news: fc.array(fc.integer({ min: 1, max: 400 })),
  size: fc.integer({ min: 1, max: 12 }),
  concurrency: fc.integer({ min: 1, max: 40 }),
  seed: fc.integer(),
});

/** The plan for accounts whose order has changed, some of them with new records. */
function planOf(older: readonly number[], newer: readonly number[], news: readonly number[], size: number, concurrency: number) {
  const digests = digestsOf({ keys: newer, news: new Set(news) }, size);
  const there = digestsOf({ keys: older, news: new Set() }, size);
  const plan = planCollection(
    comparing({
      build: sizeOf(newer, size),
      digests,
      found: { trees: [sizeOf(older, size)], digests: there },
      movement: movementBetween(keysOf(older, size), keysOf(newer, size)),
      concurrency,
    }),
    'account',
  );
  return { plan, digests, there };
}

/** The lanes of a stage with the numbered pages that they write. */
function phaseOf(stage: Stage): Phase {
  return [...stage()].map((lane) =>
    [...lane].flatMap(({ action, path }) => {
      const page = /\/page\/(\d+)\/index\.json$/.exec(path)?.[1];
      return page === undefined ? [] : [{ page: Number(page), isOverlap: action === 'overlap' }];
    }),
  );
}

const pagesOf = (phase: Phase = []): number[] => phase.flat().map(({ page }) => page);

describe('a plan with sort keys', () => {
  it('lets no reader miss an account, writes each changed page, and writes overlap pages only for pages that items leave', () => {
    fc.assert(
      fc.property(cases, ({ before, added, news, size, concurrency, seed }) => {
        const up = (list: readonly number[]) => [...new Set(list)].toSorted((a, b) => a - b);
        const [older, newer] = [up(before), up([...before, ...added])];
        const [old, young] = [paged(older, size), paged(newer, size)];
        const { plan, digests, there } = planOf(older, newer, news, size, concurrency);
        const phases = plan.stages.map(phaseOf);
        expect(missed(old, young, phases, concurrency, seed)).toBe(0);
        const changed = Array.from({ length: young.length - 1 }, (_, index) => index + 1).filter(
          (page) => digests.get(pagePath('account', page)) !== there.get(pagePath('account', page)),
        );
        const writes = phases.flat(2);
        expect(writes.filter(({ isOverlap }) => !isOverlap).map(({ page }) => page)).toEqual(expect.arrayContaining(changed));
        for (const { page } of writes.filter(({ isOverlap }) => isOverlap)) {
          expect([...(old[page] ?? [])].some((key) => !young[page]?.has(key))).toBe(true);
        }
        // a page that links to a new page comes after it
        if (young.length > old.length) expect(pagesOf(phases[0])).not.toContain(old.length - 1);
      }),
      { numRuns: times('plans', 150, 600) },
    );
  });

  it('sends account pages in parallel and without overlap pages if accounts have new records and new accounts follow them', () => {
    const older = Array.from({ length: 500 }, (_, index) => index + 1);
    const newer = Array.from({ length: 620 }, (_, index) => index + 1);
    const { plan } = planOf(older, newer, older.slice(0, 300), 5, 32);
    const [first, ...later] = plan.stages.map(phaseOf);
    expect(first).toHaveLength(99 + 24);
    // the former last page will link to a new page, so it waits for that page
    expect(later.flatMap(pagesOf)).toEqual([100]);
  });
});
