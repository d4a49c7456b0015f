import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IncompleteMirror } from '../../src/contract/files/incomplete-mirror.ts';
import type { MirrorResult } from '../../src/mirror/mirror.ts';
import { Connection } from '../../src/store/database/connection.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { account, type CannedService, record, serviceOf, show, startCannedService, status } from './canned-service.ts';
import { idsIn, mirrored } from './mirrored.ts';

const SERVICES = times('generated services', 7, 100);
const [PAGE, ACCOUNT_PAGE] = [5, 2];
/** A mirror that does not stand still after so many runs never will. */
const MAX_RUNS = 12;

/** A service whose pages fail, whose counts lie and whose records vanish. */
interface Faults {
  readonly records: number;
  readonly accounts: number;
  /** The pages of each collection that fail always. Page 1 never fails. */
  readonly feed: readonly number[];
  readonly profiles: readonly number[];
  /** How many items more than it has the service counts. */
  readonly recordsMore: number;
  readonly accountsMore: number;
  /** After the first mirror: where records vanish, and how many are added. */
  readonly vanish: readonly number[];
  readonly added: number;
  /** The kind of package that is made of the store. */
  readonly kind: Kind;
}

type Kind = 'tree' | 'wacz' | 'warc' | 'bag' | 'ndjson';

const lie = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: -12, max: 4 }) });
const anyFaults: fc.Arbitrary<Faults> = fc.record({
  records: fc.integer({ min: 0, max: 60 }),
  accounts: fc.integer({ min: 1, max: 7 }),
  feed: fc.uniqueArray(fc.integer({ min: 2, max: 14 }), { maxLength: 3 }),
  profiles: fc.uniqueArray(fc.integer({ min: 2, max: 4 }), { maxLength: 2 }),
  recordsMore: lie,
  accountsMore: lie,
  vanish: fc.array(fc.nat({ max: 1000 }), { maxLength: 3 }),
  added: fc.nat({ max: 4 }),
  kind: fc.constantFrom('tree', 'wacz', 'warc', 'bag', 'ndjson'),
});

// a count that is too low by just the accounts that cannot be read proves that there are no others
const faults = anyFaults.map((one) => (one.profiles.length === 0 ? one : { ...one, accountsMore: Math.max(0, one.accountsMore) }));

/** One without faults, and those of which a mirror once said too little. */
const SOUND = { feed: [], profiles: [], recordsMore: 0, accountsMore: 0, vanish: [], added: 0, kind: 'tree' } as const;
const EXAMPLES: readonly Faults[] = [
  { ...SOUND, records: 12, accounts: 3, kind: 'warc' },
  // as many records vanish below a page that fails as are missing on it
  { ...SOUND, records: 18, accounts: 3, feed: [2], profiles: [2], vanish: [547], added: 1 },
  // a record vanishes below a page that fails
  { ...SOUND, records: 13, accounts: 1, feed: [2], vanish: [50], kind: 'bag' },
  // the oldest records vanish while the service counts too many
  { ...SOUND, records: 4, accounts: 1, recordsMore: 2, vanish: [465, 0, 669], added: 3, kind: 'ndjson' },
  // the oldest record vanishes while records of a page that fails are missing
  { ...SOUND, records: 30, accounts: 3, feed: [2], profiles: [2], vanish: [31], added: 2 },
  // the same, and the service counts too many
  { ...SOUND, records: 12, accounts: 3, feed: [2], profiles: [2], recordsMore: 2, vanish: [11] },
  // the oldest record vanishes, and one of a page that fails, whose records the accounts have
  { ...SOUND, records: 22, accounts: 2, feed: [3], vanish: [21, 12], kind: 'warc' },
  // a record of a page that fails vanishes, and the last page fails too, behind which the service counts others
  { ...SOUND, records: 24, accounts: 2, feed: [2, 5], recordsMore: 4, vanish: [7], added: 2 },
  // page 8 fails, to which page 7 links, and the service counts seven pages
  { ...SOUND, records: 38, accounts: 7, feed: [8, 3], recordsMore: -3 },
];

type Item = ReturnType<typeof record>;

/** Shows the records and accounts, with the counts and the failures. */
function serveFaulty(service: CannedService, records: readonly Item[], shape: Faults): void {
  const { accounts, feed, profiles, recordsMore, accountsMore } = shape;
  const all = Array.from({ length: accounts }, (_, index) =>
    account(
      `account${index}`,
      records.filter((one) => one.account === `account${index}`),
    ),
  );
  service.answers.clear();
  show(service, 'data', records, PAGE);
  show(service, 'account', all, ACCOUNT_PAGE);
  for (const [target, answer] of service.answers) {
    const more = target.startsWith('/rest/data/') ? recordsMore : accountsMore;
    const { count } = answer as { readonly count: number };
    service.answers.set(target, { ...(answer as object), count: Math.max(0, count + more) });
  }
  const refuse = (target: string) => service.answers.has(target) && service.answers.set(target, status(500));
  for (const page of feed) refuse(`/rest/data/?page=${page}`);
  for (const page of profiles) refuse(`/rest/account/?page=${page}`);
}

/**
 * The records without those that vanish. It keeps those of which nobody can tell that they vanished: those that could be on a page of
 * the feed that fails, if a page of accounts fails too, or if the service counts too many and no page behind shows where the feed ends.
 */
function withoutVanished(records: readonly Item[], { vanish, feed, profiles, accounts, recordsMore }: Faults): readonly Item[] {
  const isFailing = profiles.some((page) => (page - 1) * ACCOUNT_PAGE < accounts);
  return vanish.reduce((left, at) => {
    const next = left.toSpliced(at % Math.max(1, left.length), 1);
    const isUnread = (place: number) => feed.includes(Math.floor(place / PAGE) + 1);
    const isUncertain = records.some(({ id }) => {
      const place = next.filter((one) => one.id > id).length;
      if (next[place]?.id === id || ![place - 1, place].some(isUnread)) return false;
      return isFailing || (recordsMore > 0 && next.slice(place).every((_, index) => isUnread(place + index)));
    });
    return isUncertain ? left : next;
  }, records);
}

/** Mirrors until a run finds what the run before found. */
async function untilItStands(store: string, baseUrl: string): Promise<MirrorResult> {
  let before = '';
  for (let run = 1; run <= MAX_RUNS; run += 1) {
    const result = await mirrored(store, baseUrl);
    const { isComplete, missing, removed, records, accounts } = result;
    const now = JSON.stringify([isComplete, missing, removed, records.added, accounts.added]);
    if (now === before) return result;
    before = now;
  }
  throw new Error('the mirror does not stand still');
}

function storeSays(path: string): readonly IncompleteMirror[] {
  const store = Store.open(path);
  try {
    return store.incompleteMirrors();
  } finally {
    store.close();
  }
}

describe('a mirror of a service whose pages fail, whose counts lie and whose records vanish', () => {
  it('says exactly what it lacks, in the store and in a package, when it stands still', async () => {
    let [incomplete, complete] = [0, 0];
    await fc.assert(
      fc.asyncProperty(faults, async (shape) => {
        const folder = temporaryFolder();
        const at = (name: string) => join(folder, name);
        const service = await startCannedService();
        const newRecord = (id: number) => record(id, { account: `account${(id * 7) % shape.accounts}` });
        const first = Array.from({ length: shape.records }, (_, index) => newRecord(shape.records - index));
        serveFaulty(service, first, shape);
        await untilItStands(at('store.db'), service.baseUrl);
        const added = Array.from({ length: shape.added }, (_, index) => newRecord(shape.records + shape.added - index));
        const records = withoutVanished([...added, ...first], shape);
        serveFaulty(service, records, shape);
        const { isComplete, missing } = await untilItStands(at('store.db'), service.baseUrl);

        const has = new Set(idsIn(at('store.db')));
        const lacking = records.filter(({ id }) => !has.has(id)).length;
        const profiles = shape.profiles.flatMap((page) => [page * ACCOUNT_PAGE - 1, page * ACCOUNT_PAGE]);
        const unreadAccounts = profiles.filter((number) => number <= shape.accounts).length;
        const counted = {
          records: Math.max(0, records.length + shape.recordsMore),
          accounts: Math.max(0, shape.accounts + shape.accountsMore),
        };
        const expected = {
          records: Math.max(0, counted.records - (records.length - lacking)),
          accounts: Math.max(0, counted.accounts - (shape.accounts - unreadAccounts)),
        };
        expect(missing).toMatchObject(expected);
        if (shape.recordsMore === 0) expect(missing.records).toBe(lacking);
        const isLie = counted.records !== records.length || counted.accounts !== shape.accounts;
        expect(isComplete).toBe(lacking + unreadAccounts === 0 && !isLie);
        const reports = storeSays(at('store.db'));
        expect(reports).toEqual(
          isComplete
            ? []
            : [
                {
                  ...{ base_url: service.baseUrl, finished_at: expect.any(String), request_count: expect.any(Number) },
                  ...{ counted, missing: expected, failed_pages: reports[0]?.failed_pages },
                },
              ],
        );
        for (const { url, reason } of reports[0]?.failed_pages ?? []) {
          const answer = service.answers.get(url.slice(service.baseUrl.length));
          // behind a last page that fails, nobody can tell a page that is counted and not there from one that is missing
          const isCounted = answer === undefined && shape.recordsMore > 0;
          expect([typeof answer, reason]).toEqual(isCounted ? ['undefined', 'status 404'] : ['function', 'status 500']);
        }

        complete += isComplete ? 1 : 0;
        incomplete += isComplete ? 0 : 1;
        await expectPackage(at, reports, shape.kind);
      }),
      { numRuns: SERVICES, examples: EXAMPLES.map((one): [Faults] => [one]) },
    );
    expect(complete).toBeGreaterThan(0);
    expect(incomplete).toBeGreaterThan(0);
  });
});

it('what a mirror lacks is said by build, verify and archive, until a later run finds it', async () => {
  const service = await startCannedService();
  const at = (name: string) => join(folder, name);
  const folder = temporaryFolder();
  // generated ids: previous must name a record of the tree
  const newest = 1_700_324_952_000_019;
  const records = Array.from({ length: 20 }, (_, index) => record(newest - index, { previous: index === 19 ? null : newest - index - 1 }));
  show(service, 'data', records, PAGE);
  show(service, 'account', [account('jack', [])]);
  const right = service.answers.get('/rest/data/?page=2');
  service.answers.set('/rest/data/?page=2', status(500));
  await mirrored(at('store.db'), service.baseUrl);
  const lack = `the mirror of ${service.baseUrl} lacks at least 5 of 20 records`;
  const [store, tree] = [
    ['--store', at('store.db')],
    ['--out', at('out')],
  ];
  const build = ['build', ...store, ...tree, '--base-url', 'https://copy.example', '--quiet'];
  expect((await palimpsestHere(build)).stderr).toContain(`the tree is not known to be complete: ${lack}`);
  const verified = await palimpsestHere(['verify', ...store, ...tree]);
  expect(verified.code).toBe(1);
  expect(verified.stdout).toContain(
    `next: ${lack} (${service.baseUrl}/rest/data/?page=2: status 500): mirror again or import the missing pages, because missing records can be the cause, then build again`,
  );
  const archive = async (kind: string) => (await palimpsestHere(['archive', kind, ...tree, '--to', at(kind), '--quiet'])).stderr;
  expect(await archive('bag')).toContain(`the archive is not known to be complete: ${lack}`);
  expect(readFileSync(at('bag/bag-info.txt'), 'utf8')).toContain(`Not known to be complete: ${lack}`);

  service.answers.set('/rest/data/?page=2', right);
  expect(await mirrored(at('store.db'), service.baseUrl)).toMatchObject({ isComplete: true });
  expect(await palimpsestHere(build)).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(at('out/build.json'), 'utf8')).not.toContain('incomplete');
});

it('a run that is not complete says when the last complete one ended', async () => {
  const { service, store } = await serviceOf(20);
  const mirror = async () => await palimpsestHere(['mirror', service.baseUrl, '--store', store, '--delay', '0s', '--json']);
  const right = [...service.answers].filter(([target]) => target.startsWith('/rest/data/'));
  const counted = (count: number) => {
    for (const [target, answer] of right) service.answers.set(target, { ...Object(answer), count });
  };
  const completeAt = async () => JSON.parse((await mirror()).stdout).complete_at;
  counted(25);
  expect(await completeAt()).toBeNull();
  counted(20);
  const time = await completeAt();
  expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000);
  const earlier = '2026-01-31T02:00:00Z';
  const connection = new Connection(store);
  connection.run('UPDATE mirror SET complete_at = ?', earlier);
  connection.close();
  counted(25);
  const { code, stdout, stderr } = await mirror();
  expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ complete: false, complete_at: earlier })]);
  expect(stderr).toContain(`the last complete run ended at ${earlier}`);
  counted(20);
  expect((await completeAt()) >= time).toBe(true);
});

/** Makes a package, and expects that it says what the store lacks, and that a store made of it does. */
async function expectPackage(at: (name: string) => string, reports: readonly IncompleteMirror[], kind: Kind): Promise<void> {
  const [store, out, path] = [at('store.db'), at('out'), at(kind === 'tree' ? 'out' : `package.${kind}`)];
  await palimpsestJson(['build', '--store', store, '--out', out, '--base-url', 'https://copy.example']);
  expect(JSON.parse(readFileSync(join(out, 'build.json'), 'utf8')).incomplete ?? []).toEqual(reports);
  if (kind === 'ndjson') await palimpsestJson(['export', 'ndjson', '--store', store, '--to', path]);
  else if (kind !== 'tree') await palimpsestJson(['archive', kind, '--out', out, '--to', path]);
  const args = ['import', path, '--store', at('copy.db')];
  // an export has no pages, which could prove it complete
  const isRefused = reports.length > 0 || kind === 'ndjson';
  const strict = await palimpsestHere([...args, '--require-complete', '--json']);
  expect(strict.code).toBe(isRefused ? 1 : 0);
  if (isRefused) expect(JSON.parse(strict.stdout).error).toMatchObject({ code: 'incomplete' });
  expect(await palimpsestJson(args)).toMatchObject({ incomplete: reports });
  expect(storeSays(at('copy.db'))).toEqual(reports);
}
