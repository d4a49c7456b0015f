import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Missing, missingOf } from '../../src/mirror/missing.ts';
import { Run, type RunState, startRun } from '../../src/mirror/run.ts';
import { saveMirrorState } from '../../src/mirror/save-mirror-state.ts';
import { Spool } from '../../src/mirror/spool.ts';
import { Connection } from '../../src/store/connection.ts';
import { Exclusions } from '../../src/store/exclusions.ts';
import { MirrorMemory } from '../../src/store/mirror-memory.ts';
import { SCHEMA } from '../../src/store/schema.ts';
import { times } from '../support/proof.ts';
import { type Change, SimulatedService } from './simulated-service.ts';

const RUNS = times('simulated services', 40, 3000);
const PAGES = times('pages of one mirror', 1000, 10_000);

/** What a store knows of a service, night after night, without the records themselves. */
function nights() {
  const database = new Connection(':memory:');
  database.exec(SCHEMA);
  let runs = 0;
  return async (service: SimulatedService, isFull = false) => {
    runs += 1;
    const memory = new MirrorMemory(database, 'https://service.example');
    const known = { data: memory.count('data'), account: memory.count('account') };
    const { watermark = null, excess = { data: 0, account: 0 } } = memory.summary ?? {};
    const spool = new Spool<RunState>(':memory:', memory);
    const changed = { data: undefined, account: undefined };
    const run = new Run(
      startRun({
        run: String(runs),
        after: null,
        isVersion: false,
        isFull,
        known,
        beginning: { watermark, excess, accounts: known.account, isFull, changed },
      }),
      spool,
      service,
      { concurrency: 1 },
    );
    const before = service.requests;
    await run.toEnd();
    const { plan } = run.state;
    const gone = run.gone();
    const { isComplete, missing } = missingOf(run.state, gone, () => '');
    const summary = {
      run: String(runs),
      watermark: plan.feed.watermark,
      excess: { data: plan.feed.excess, account: plan.accounts.excess },
      build: null,
      manifest: null,
    };
    const after = saveMirrorState(memory, spool, new Exclusions(database), { summary, gone });
    const has = { data: new Set(after.keys('data')), account: new Set(after.keys('account')) };
    spool.close();
    return { isComplete, missing, gone, has, requests: service.requests - before, plan };
  };
}

/** Whether an incomplete run tells its user what is missing. */
function saysWhy({ isCountUnstable, records, accounts, gaps, pages }: Missing): boolean {
  return isCountUnstable || records + accounts + gaps.length + pages.length > 0;
}

const grow = fc.record({ kind: fc.constant('grow' as const), records: fc.nat({ max: 12 }), newAccounts: fc.nat({ max: 2 }) });
const remove = fc.record({
  kind: fc.constant('remove' as const),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  records: fc.integer({ min: 1, max: 4 }),
});
const removeAccounts = fc.record({
  kind: fc.constant('remove accounts' as const),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  accounts: fc.integer({ min: 1, max: 3 }),
});
const reset = fc.record({ kind: fc.constant('reset' as const), records: fc.nat({ max: 30 }) });

/** The last request that a change can come before. */
const LAST_CHANGE = 60;

/** Changes before some of the first requests of a service; after those it is at rest. */
function changes(change: fc.Arbitrary<Change>): fc.Arbitrary<ReadonlyMap<number, readonly Change[]>> {
  return fc
    .array(fc.tuple(fc.nat({ max: LAST_CHANGE }), fc.array(change, { minLength: 1, maxLength: 3 })), { maxLength: 12 })
    .map((entries) => new Map(entries));
}

const shape = { pageSize: fc.integer({ min: 1, max: 7 }), records: fc.nat({ max: 60 }) };

type Example = [{ pageSize: number; records: number; changes: ReadonlyMap<number, readonly Change[]> }];

/** The count agrees with the known records, although as many new records are missing as known ones were removed. */
const AGREES_BY_CHANCE: Example[] = [
  [
    {
      pageSize: 5,
      records: 6,
      changes: new Map<number, readonly Change[]>([
        [
          11,
          [
            { kind: 'reset', records: 17 },
            { kind: 'grow', records: 12, newAccounts: 0 },
          ],
        ],
        [14, [{ kind: 'reset', records: 22 }]],
      ]),
    },
  ],
  [
    {
      pageSize: 6,
      records: 31,
      changes: new Map<number, readonly Change[]>([
        [10, [{ kind: 'reset', records: 16 }]],
        [
          12,
          [
            { kind: 'grow', records: 3, newAccounts: 0 },
            { kind: 'remove', at: 0, records: 2 },
            { kind: 'remove', at: 0, records: 3 },
          ],
        ],
      ]),
    },
  ],
  [
    {
      pageSize: 2,
      records: 1,
      changes: new Map<number, readonly Change[]>([
        [1, [{ kind: 'reset', records: 20 }]],
        [
          6,
          [
            { kind: 'reset', records: 13 },
            { kind: 'remove', at: 0, records: 1 },
            { kind: 'grow', records: 7, newAccounts: 0 },
          ],
        ],
      ]),
    },
  ],
];

/** Page 4 does not exist, but page 1, read next, says that it does. When it is requested again, all records were removed. */
const PAGE_LOST: Example = [
  {
    pageSize: 1,
    records: 6,
    changes: new Map<number, readonly Change[]>([
      [0, [{ kind: 'remove', at: 0, records: 1 }]],
      [15, [{ kind: 'grow', records: 3, newAccounts: 0 }]],
      [19, [{ kind: 'reset', records: 0 }]],
      [
        20,
        [
          { kind: 'grow', records: 4, newAccounts: 0 },
          { kind: 'remove accounts', at: 0, accounts: 1 },
        ],
      ],
      [21, [{ kind: 'reset', records: 0 }]],
    ]),
  },
];

/** As many accounts come as are removed while the pages are read from the last one back: the new ones are not seen, the old ones are. */
const ACCOUNTS_REPLACED: Example = [
  {
    pageSize: 1,
    records: 7,
    changes: new Map<number, readonly Change[]>([
      [8, [{ kind: 'grow', records: 0, newAccounts: 2 }]],
      [
        15,
        [
          { kind: 'grow', records: 0, newAccounts: 2 },
          { kind: 'remove accounts', at: 0, accounts: 2 },
        ],
      ],
    ]),
  },
];

describe('the plan of a mirror', () => {
  it('misses no record and no account of a service that grows between any two requests', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record({ ...shape, changes: changes(grow) }), async ({ pageSize, records, changes }) => {
        const service = new SimulatedService(pageSize, records, changes);
        const night = nights();
        for (let count = 0; count < 3; count += 1) {
          const { isComplete, has } = await night(service);
          expect(isComplete).toBe(true);
          expect(service.lastShown.filter((id) => !has.data.has(id))).toEqual([]);
          expect(service.lastAccounts.filter((name) => !has.account.has(name))).toEqual([]);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('ends, and is never complete without a record of the service, whatever a service adds, removes and resets', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ ...shape, changes: changes(fc.oneof(grow, remove, removeAccounts, reset)) }),
        async ({ pageSize, records, changes }) => {
          const service = new SimulatedService(pageSize, records, changes);
          const night = nights();
          for (let count = 0; count < 4 || service.requests <= LAST_CHANGE; count += 1) {
            const { isComplete, missing, has, requests } = await night(service);
            const missed = service.lastShown.filter((id) => !has.data.has(id));
            if (isComplete) expect(missed).toEqual([]);
            else expect(saysWhy(missing)).toBe(true);
            expect(requests).toBeLessThan(2000);
          }
          // the service is at rest now
          await night(service, true);
          const { isComplete, has } = await night(service);
          expect(isComplete).toBe(true);
          expect([...has.data].toSorted()).toEqual([...service.records].toSorted());
        },
      ),
      { numRuns: RUNS, examples: [...AGREES_BY_CHANCE, PAGE_LOST, ACCOUNTS_REPLACED] },
    );
  });

  it('finds exactly the removed accounts if nothing moves while it reads them, and none that exists, whatever is added and removed', async () => {
    let exact = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({ ...shape, changes: changes(fc.oneof(grow, remove, removeAccounts)) }),
        async ({ pageSize, records, changes }) => {
          const service = new SimulatedService(pageSize, records, changes);
          const night = nights();
          let known = new Set((await night(service)).has.account);
          for (const isFull of [true, false, true, true]) {
            const first = service.accountRequests.length;
            const { isComplete, gone, has } = await night(service, isFull);
            expect(gone.account.filter((name) => service.accounts.includes(String(name)))).toEqual([]);
            if (isFull && isComplete && service.lastChange <= (service.accountRequests[first] ?? 0)) {
              exact += 1;
              expect(gone.account).toEqual([...known].filter((name) => !service.accounts.includes(String(name))).toSorted());
            }
            known = has.account;
          }
        },
      ),
      { numRuns: RUNS },
    );
    expect(exact).toBeGreaterThan(0);
  });

  it('finds that all records were removed, also after a run that found fewer records than it knew', async () => {
    const changes: readonly (readonly [number, readonly Change[]])[] = [
      [0, [{ kind: 'reset', records: 3 }]],
      [1, [{ kind: 'remove', at: 0, records: 1 }]],
      [
        2,
        [
          { kind: 'grow', records: 5, newAccounts: 0 },
          { kind: 'remove', at: 0, records: 4 },
        ],
      ],
      [5, [{ kind: 'reset', records: 0 }]],
    ];
    const service = new SimulatedService(1, 0, new Map(changes));
    const night = nights();
    await night(service);
    expect([...(await night(service, true)).has.data]).toEqual([]);
  });

  it('finds new records while others were removed and the count stayed the same', async () => {
    const changes: readonly (readonly [number, readonly Change[]])[] = [
      [2, [{ kind: 'grow', records: 2, newAccounts: 0 }]],
      [
        4,
        [
          { kind: 'remove', at: 0, records: 2 },
          { kind: 'grow', records: 2, newAccounts: 0 },
        ],
      ],
    ];
    const service = new SimulatedService(2, 3, new Map(changes));
    const { has, isComplete } = await nights()(service);
    expect(isComplete).toBe(true);
    expect(service.records.filter((id) => !has.data.has(id))).toEqual([]);
  });

  it('reads a handful of pages if three of many have new items, and three pages if nothing is new', async () => {
    const service = new SimulatedService(10, 10 * PAGES, new Map());
    const night = nights();
    const first = await night(service);
    expect(first).toMatchObject({ isComplete: true });
    service.apply({ kind: 'grow', records: 30, newAccounts: 2 });
    expect((await night(service)).requests).toBeLessThan(10);
    expect((await night(service)).requests).toBe(3);
  });

  it('finds a removed record, and reads no pages below it', async () => {
    const service = new SimulatedService(10, 1000, new Map());
    const night = nights();
    await night(service);
    const removed = service.records[25];
    service.records = service.records.toSpliced(25, 1);
    const second = await night(service);
    expect(second.gone.data).toEqual([removed]);
    expect(second).toMatchObject({ isComplete: true });
    expect(second.requests).toBeLessThan(10);
    expect((await night(service)).requests).toBe(3);
  });
});
