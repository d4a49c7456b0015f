import { hash } from 'node:crypto';
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildComposed } from '../../src/composed/build.ts';
import { type ComposedHead, readHead } from '../../src/composed/head.ts';
import { importInputs } from '../../src/import/import.ts';
import { type ComposedPublishOptions, publishComposed } from '../../src/publish/composed/publish-composed.ts';
import { rollback } from '../../src/publish/composed/rollback.ts';
import { openTarget } from '../../src/storage/address.ts';
import type { Target } from '../../src/storage/target.ts';
import { removeAccounts } from '../../src/store/remove.ts';
import { verify } from '../../src/verify/verify.ts';
import { composed } from '../composed/composed-pages.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsest, palimpsestJson } from '../support/palimpsest.ts';
import { chance } from '../whole/chance.ts';
import { runAndKill } from '../whole/killing.ts';
import { folderOfFile, recordLines } from '../whole/stores.ts';
import { startProxy } from './proxy.ts';
import { SETTINGS } from './settings.ts';
import { AZURITE, CEPH, fetchAll, rclone, type Store, SWIFT } from './stores.ts';

/** The number of records in most tests, and in the test that counts requests. The full test counts at 1,000,000, of 100,000 accounts. */
const RECORDS = 800;
const MANY_RECORDS = Number(process.env['PALIMPSEST_TEST_COMPOSED_RECORDS'] ?? RECORDS);
/** The number of killed publishes at each target. */
const KILLS = Number(process.env['PALIMPSEST_TEST_COMPOSED_PUBLISH_KILLS'] ?? 2);
const DAY = 86_400_000;

const folder = folderOfFile();
const options: Omit<ComposedPublishOptions, 'out'> = {
  ...SETTINGS,
  signal: new AbortController().signal,
  maxDelete: { share: 1 },
  retryPolicy: { attempts: 4, timeout: 20_000 },
  keep: undefined,
  append: false,
  dropGenerations: false,
  isSinglePublisher: false,
};

const site = { base_url: 'https://history.example/api', page_size: 100, account_page_size: 100 };

/** A store with a composed tree. */
class History {
  readonly out: string;
  readonly store: string;

  constructor(name: string) {
    this.out = join(folder, name);
    this.store = `${this.out}.db`;
  }

  /** Imports lines, and builds a generation some days ago. */
  async add(lines: readonly string[], daysAgo: number): Promise<void> {
    async function* text() {
      for (let at = 0; at < lines.length; at += 1000) yield Buffer.from(`${lines.slice(at, at + 1000).join('\n')}\n`);
    }
    await importInputs(this.store, [{ name: 'lines', size: undefined, open: text }], { onConflict: 'fail' });
    await this.build(daysAgo);
  }

  async build(daysAgo: number): Promise<void> {
    const time = new Date(Date.now() - daysAgo * DAY);
    // a large tree is built on two threads, which only the compiled program can start
    if (MANY_RECORDS > RECORDS) {
      const options = ['--base-url', site.base_url, '--built-at', time.toISOString()];
      await palimpsestJson(['build', '--layout', 'composed', '--store', this.store, '--out', this.out, ...options]);
    } else await buildComposed(this.store, { out: this.out, site, time });
  }

  /** Removes the account of a record, and builds a generation. */
  async remove(line: string | undefined, daysAgo: number): Promise<void> {
    const { account }: { readonly account: string } = JSON.parse(line ?? '');
    await removeAccounts(this.store, [account], { now: '2026-11-22T00:00:00Z', allowUnknown: true, isDryRun: false });
    await this.build(daysAgo);
  }

  chunks(): Set<string> {
    return new Set([...filesIn(this.out).keys()].filter((path) => path.startsWith('chunks/')));
  }

  /** The pages of the present state that tests compare. */
  page(): Promise<unknown> {
    return composed(this.out, 'rest/data/page/2/index.json');
  }
}

/** Records in four groups: the first ones, one new, 300 new, and at least 50 old ones of accounts that are in no other group. */
async function lines(records = RECORDS) {
  const all = await recordLines(records + 400, records / 10);
  const accountOf = (line: string): string => JSON.parse(line).account;
  const late = new Set<string>();
  let backfill: string[] = [];
  for (const line of all) {
    if (backfill.length >= 50) break;
    late.add(accountOf(line));
    backfill = all.slice(0, records).filter((one) => late.has(accountOf(one)));
  }
  const others = all.filter((line) => !late.has(accountOf(line)));
  const first = others.slice(0, records - backfill.length);
  const later = others.slice(first.length);
  return { first, one: later.slice(0, 1), many: later.slice(1, 301), backfill };
}

/** Returns a page with links to another generation than the first. */
const withGeneration = (generation: number) => (page: unknown) =>
  String(page).replaceAll('as_of=1&', `as_of=${generation}&`).replaceAll('as_of=1"', `as_of=${generation}"`);

interface Candidate {
  readonly name: string;
  readonly skip: boolean;
  readonly start: () => Promise<{
    readonly store?: Store;
    /** Opens the target with a prefix. */
    readonly open: (prefix: string, endpoint?: string) => Promise<Target>;
    /** The arguments and the environment of the program for a prefix. */
    readonly args: (prefix: string) => readonly string[];
    readonly env: Readonly<Record<string, string>>;
    /** Copies the files below a prefix, with an independent client. */
    readonly fetch: (prefix: string, into: string) => Promise<void>;
  }>;
}

const candidates: readonly Candidate[] = [
  {
    name: 'a folder',
    skip: false,
    start: async () => ({
      open: (prefix) => openTarget(join(folder, 'site', prefix), '', { connections: 8, secrets: {} }),
      args: (prefix) => [join(folder, 'site', prefix)],
      env: {},
      fetch: async (prefix, into) => cpSync(join(folder, 'site', prefix), into, { recursive: true }),
    }),
  },
  ...[CEPH, AZURITE].map((kind) => ({
    name: kind.name,
    skip: kind.requirement.skip || rclone.skip,
    start: async () => {
      Object.assign(process.env, kind.keys);
      const store = await kind.start();
      return {
        store,
        open: (prefix: string, endpoint = store.endpoint) =>
          openTarget(kind.address(prefix), '', { connections: 8, secrets: {}, ...kind.access(endpoint) }),
        args: (prefix: string) => [kind.address(prefix)],
        env: kind.env(store.endpoint),
        fetch: (prefix: string, into: string) => fetchAll(kind, store.endpoint, prefix, into),
      };
    },
  })),
];

describe.each(candidates)('publishing the composed layout to $name', ({ name, skip, start }) => {
  let place: Awaited<ReturnType<Candidate['start']>>;
  let records: Awaited<ReturnType<typeof lines>>;
  let copies = 0;

  beforeAll(async () => {
    if (skip) return;
    [place, records] = await Promise.all([start(), lines()]);
  });
  afterAll(() => place?.store?.stop());

  /** Checks each chunk of each generation at the target. Returns a copy of the target. */
  async function intact(prefix: string): Promise<string> {
    copies += 1;
    const copy = join(folder, `copy ${copies} of ${prefix} at ${name}`);
    await place.fetch(prefix, copy);
    const marker = JSON.parse(readFileSync(join(copy, 'publish.json'), 'utf8'));
    expect(marker).toMatchObject({ layout: 'composed' });
    rmSync(join(copy, 'publish.json'));
    // a killed run leaves these files in a folder, and the next run overwrites them
    for (const path of filesIn(copy).keys()) if (/\.(lock|partial)$/.test(path)) rmSync(join(copy, path));
    expect((await verify({ out: copy })).violations).toEqual([]);
    return copy;
  }

  /** Returns the chunks at the target that a tree does not have. Chunks of old logs are left out: they have only counts and hashes. */
  async function leftOf(prefix: string, { out }: History): Promise<string[]> {
    const [files, own] = [filesIn(await intact(prefix)), filesIn(out)];
    return [...files].flatMap(([path, bytes]) => (path.startsWith('chunks/') && !own.has(path) && !isLog(bytes) ? [path] : []));
  }

  it.skipIf(skip)('sends only what is new, with the requests that it counts', async () => {
    const proxy = place.store && (await startProxy(place.store.endpoint));
    const history = new History(`${name} nights`);
    const groups = await lines(MANY_RECORDS);
    const target = await place.open('nights', proxy?.endpoint);
    const counts: Record<string, number> = {};
    const night = async (title: string, added: readonly string[], daysAgo: number) => {
      const before = daysAgo === 9 ? new Set<string>() : history.chunks();
      await history.add(added, daysAgo);
      const asked = proxy?.requests ?? 0;
      const { done, traffic } = await publishComposed(target, { ...options, out: history.out });
      expect(done).toEqual({ uploads: without(history.chunks(), before).length, deletes: 0 });
      if (proxy !== undefined) expect(proxy.requests - asked).toBeGreaterThanOrEqual(traffic.requests);
      counts[title] = traffic.requests;
      // the head and the state are read and written; two writes show that the store is conditional
      expect(traffic.writes - done.uploads).toBe(4);
      expect(traffic.reads).toBe(2);
    };
    try {
      await night('full', groups.first, 9);
      await night('one record', groups.one, 8);
      await night('300 records', groups.many, 7);
      await night('backfill', groups.backfill, 6);
      const idle = await publishComposed(target, { ...options, out: history.out });
      expect(idle).toMatchObject({ isIdle: true, done: { uploads: 0, deletes: 0 }, traffic: { requests: 2 } });
      console.log(`requests of the program at ${name}, ${MANY_RECORDS} records: ${JSON.stringify(counts)}`);
      expect(counts['one record']).toBeLessThan(20);
      const copy = await intact('nights');
      const { published, ...head } = readHead(copy) ?? {};
      expect(head).toEqual(readHead(history.out));
      // within an hour, only the first publish is noted
      expect(published).toEqual([{ generation: 1, time: expect.any(String) }]);
    } finally {
      target.close();
      await proxy?.stop();
    }
  });

  it.skipIf(skip)('goes back to an earlier generation and forward again', async () => {
    const history = new History(`${name} back`);
    const target = await place.open('back');
    const pages: unknown[] = [];
    for (const [index, added] of [records.first, records.one, records.many].entries()) {
      await history.add(added, 9 - index);
      await publishComposed(target, { ...options, out: history.out });
      pages.push(await history.page());
    }
    const back = await rollback(target, { ...options, generation: undefined });
    expect(back).toMatchObject({ before: 3, head: { generation: 2, store: '' }, isConditional: true });
    const copy = await intact('back');
    expect(await composed(copy, 'rest/data/page/2/index.json')).toBe(pages[1]);
    expect(await composed(copy, 'rest/data/page/2/index.json', 'as_of=3')).toBe(404);
    const further = await rollback(target, { ...options, generation: 1 });
    expect(further.head.generation).toBe(1);
    await expect(rollback(target, { ...options, generation: undefined })).rejects.toMatchObject({ code: 'no-generation' });
    await expect(rollback(target, { ...options, generation: 3 })).rejects.toMatchObject({ code: 'no-generation' });
    const again = await publishComposed(target, { ...options, out: history.out });
    expect(again).toMatchObject({ before: 1, head: { generation: 3 } });
    expect(await composed(await intact('back'), 'rest/data/page/2/index.json')).toBe(pages[2]);
    target.close();
  });

  it.skipIf(skip)('gives no number of a withdrawn generation to another state', async () => {
    const [history, job] = [new History(`${name} withdrawn`), new History(`${name} withdrawn job`)];
    const target = await place.open('withdrawn');
    for (const [index, added] of [records.first, records.one, records.many].entries()) {
      await history.add(added, 9 - index);
      await publishComposed(target, { ...options, out: history.out });
    }
    await rollback(target, { ...options, generation: 2 });
    await rollback(target, { ...options, generation: 1 });
    // a copy of the target that is built again does not give these numbers either
    const copy = await intact('withdrawn');
    await buildComposed(history.store, { out: copy, site, time: new Date() });
    expect(readHead(copy)).toMatchObject({ generation: 4, log: { count: 2 } });
    cpSync(history.store, job.store);
    await job.add(records.backfill, 5);
    const appended = await publishComposed(target, { ...options, out: job.out, append: true });
    expect(appended).toMatchObject({ before: 1, dropped: 0, head: { generation: 4, log: { count: 2 } } });
    const published = await intact('withdrawn');
    const page = (asOf: string) => composed(published, 'rest/data/page/2/index.json', asOf);
    expect([await page('as_of=2'), await page('as_of=3'), await page('as_of=5')]).toEqual([404, 404, 404]);
    expect(await page('as_of=4')).toBe(await composed(job.out, 'rest/data/page/2/index.json', 'as_of=1').then(withGeneration(4)));
    expect(await page('as_of=1')).toBe(await composed(history.out, 'rest/data/page/2/index.json', 'as_of=1'));
    expect(await publishComposed(target, { ...options, out: job.out, append: true })).toMatchObject({ isIdle: true });
    // the tree of before has other states with these numbers
    await expect(publishComposed(target, { ...options, out: history.out })).rejects.toMatchObject({ code: 'generations-lost' });
    target.close();
  });

  it.skipIf(skip)('deletes exactly the chunks that no kept generation needs', async () => {
    const history = new History(`${name} pruned`);
    const target = await place.open('pruned');
    for (const [index, added] of [records.first, records.one, records.many, records.backfill].entries()) {
      await history.add(added, [9, 5, 3, 1][index] ?? 0);
      await publishComposed(target, { ...options, out: history.out });
      // one publish is noted in an hour
      await publishedEarlier(target, 0.1);
    }
    // the states were built long ago, but readers of the last day may have each of them
    expect(await publishComposed(target, { ...options, out: history.out, keep: 4 * DAY })).toMatchObject({ isIdle: true, dropped: 0 });
    await publishedEarlier(target, 2);
    // generation 2 was replaced three days ago
    const refused = publishComposed(target, { ...options, out: history.out, keep: 4 * DAY, maxDelete: { most: 0 } });
    await expect(refused).rejects.toMatchObject({ code: 'too-many-deletes' });
    const pruned = await publishComposed(target, { ...options, out: history.out, keep: 4 * DAY });
    expect(pruned).toMatchObject({ dropped: 1, head: { generation: 4, log: { count: 3 } } });
    expect(pruned.done.deletes).toBeGreaterThan(0);
    const copy = await intact('pruned');
    const kept = new Set([...filesIn(copy).keys()].filter((path) => path.startsWith('chunks/')));
    const own = history.chunks();
    expect(without(own, kept).length).toBeGreaterThan(0);
    for (const path of pruned.deletes) expect(kept.has(`chunks/${path.slice(0, 2)}/${path.slice(2)}`)).toBe(false);
    expect(await composed(copy, 'rest/data/page/2/index.json', 'as_of=1')).toBe(404);
    expect(await composed(copy, 'rest/data/page/2/index.json', 'as_of=2')).toEqual(expect.any(String));
    // what was dropped is not sent again
    const next = await publishComposed(target, { ...options, out: history.out });
    expect(next).toMatchObject({ isIdle: true });
    target.close();
  });

  it.skipIf(skip)('deletes at once what a removed account had, and a killed run leaves the rest to the next one', async () => {
    const history = new History(`${name} removed`);
    const target = await place.open('removed');
    await history.add(records.first, 3);
    await publishComposed(target, { ...options, out: history.out });
    await history.remove(records.first[0], 2);
    const killed = publishComposed(killedAt(target, 'remove'), { ...options, out: history.out });
    await expect(killed).rejects.toThrow('killed');
    await expect(publishComposed(target, { ...options, out: history.out })).rejects.toMatchObject({ code: 'target-busy' });
    // the guard accepted these deletes before
    const next = { ...options, out: history.out, isSinglePublisher: true, maxDelete: { most: 0 } };
    const done = await publishComposed(target, next);
    expect(done.done.deletes).toBeGreaterThan(0);
    // a CDN may have the chunks for a year
    expect(done).toMatchObject({ isIdle: false, invalidate: ['/api/chunks/*'] });
    expect(await publishComposed(target, next)).toMatchObject({ isIdle: true, invalidate: [] });
    expect(await leftOf('removed', history)).toEqual([]);
    target.close();
  });

  /** Publishes two generations of `history`, then rolls back to the first. `job` gets a copy of the store of the first generation. */
  async function publishAndRollBack(target: Target, history: History, job: History): Promise<void> {
    await history.add(records.first, 9);
    await publishComposed(target, { ...options, out: history.out });
    cpSync(history.store, job.store);
    await history.add(records.one, 8);
    await publishComposed(target, { ...options, out: history.out });
    await rollback(target, { ...options, generation: 1 });
  }

  it.skipIf(skip)('deletes after a removal what rollbacks withdrew', async () => {
    const [history, job] = [new History(`${name} withdrawn and removed`), new History(`${name} withdrawn and removed job`)];
    const target = await place.open('withdrawn-and-removed');
    await publishAndRollBack(target, history, job);
    await job.add(records.many, 7);
    await publishComposed(target, { ...options, out: job.out, append: true });
    await job.remove(records.one[0], 6);
    await publishComposed(target, { ...options, out: job.out });
    expect(await leftOf('withdrawn-and-removed', job)).toEqual([]);
    target.close();
  });

  it.skipIf(skip)('deletes after a removal what rollbacks withdrew before --keep dropped the generations around it', async () => {
    const [history, job] = [new History(`${name} withdrawn and kept`), new History(`${name} withdrawn and kept job`)];
    const target = await place.open('withdrawn-and-kept');
    await publishAndRollBack(target, history, job);
    await publishedEarlier(target, 0.1);
    await job.add(records.many, 7);
    await publishComposed(target, { ...options, out: job.out, append: true });
    await publishedEarlier(target, 2);
    const pruned = await publishComposed(target, { ...options, out: job.out, append: true, keep: DAY });
    expect(pruned).toMatchObject({ dropped: 1, head: { generation: 3, log: { count: 1 } } });
    await job.remove(records.one[0], 6);
    await publishComposed(target, { ...options, out: job.out });
    expect(await leftOf('withdrawn-and-kept', job)).toEqual([]);
    target.close();
  });

  it.skipIf(skip)('deletes with --keep what a rollback withdrew long ago', async () => {
    const history = new History(`${name} withdrawn long ago`);
    const target = await place.open('withdrawn-long-ago');
    await history.add(records.first, 9);
    await publishComposed(target, { ...options, out: history.out });
    const first = history.chunks();
    const job = new History(`${name} withdrawn long ago job`);
    cpSync(history.out, job.out, { recursive: true });
    cpSync(history.store, job.store);
    await history.add(records.many, 8);
    await publishComposed(target, { ...options, out: history.out });
    await rollback(target, { ...options, generation: 1 });
    const keep = { ...options, out: job.out, keep: 4 * DAY };
    expect(await publishComposed(target, keep)).toMatchObject({ deletes: [] });
    await notedEarlier(target, 5);
    expect(await publishComposed(target, keep)).toMatchObject({ isIdle: false, dropped: 0, invalidate: ['/api/chunks/*'] });
    expect(await leftOf('withdrawn-long-ago', job)).toEqual([]);
    expect(without(first, job.chunks())).toEqual([]);
    target.close();
  });

  it.skipIf(skip)('deletes after a removal the states that --drop-generations dropped', async () => {
    const [one, two] = [new History(`${name} dropped`), new History(`${name} dropped later`)];
    const target = await place.open('dropped');
    await one.add(records.first, 9);
    await publishComposed(target, { ...options, out: one.out });
    await two.add(records.many, 8);
    expect(await publishComposed(target, { ...options, out: two.out, dropGenerations: true })).toMatchObject({ dropped: 1, deletes: [] });
    await two.remove(records.first[0], 7);
    await publishComposed(target, { ...options, out: two.out });
    expect(await leftOf('dropped', two)).toEqual([]);
    target.close();
  });

  it.skipIf(skip)('deletes after a removal what killed runs sent', async () => {
    const history = new History(`${name} killed and removed`);
    const target = await place.open('killed-and-removed');
    await history.add(records.first, 9);
    await publishComposed(target, { ...options, out: history.out });
    const removed = new History(`${name} killed and removed later`);
    cpSync(history.store, removed.store);
    for (const [index, added] of [records.one, records.many, records.backfill].entries()) {
      await history.add(added, 8 - index);
      // the last one is killed while it sends, the others when all is sent
      const moment = index === 2 ? killedAt(target, 'put', /^chunks/, 12) : killedAt(target, 'put', /^head/);
      await expect(publishComposed(moment, { ...options, out: history.out, concurrency: 3 })).rejects.toThrow('killed');
    }
    await removed.remove(records.one[0], 4);
    const done = await publishComposed(target, { ...options, out: removed.out });
    expect(done).toMatchObject({ unreadable: 0 });
    expect(await leftOf('killed-and-removed', removed)).toEqual([]);
    target.close();
  });

  it.skipIf(skip)('continues with the deletes that a failed run left', async () => {
    const history = new History(`${name} failed`);
    const target = await place.open('failed');
    await history.add(records.first, 9);
    await publishComposed(target, { ...options, out: history.out });
    await history.remove(records.first[0], 8);
    let requests = 0;
    const failing: Target = {
      ...bound(target),
      remove: async (path, signal) => {
        requests += 1;
        if (requests > 3) throw new Error('failed');
        await target.remove(path, signal);
      },
    };
    const out = { ...options, out: history.out, concurrency: 1 };
    await expect(publishComposed(failing, out)).rejects.toThrow('failed');
    // that run has ended, so this one need not wait
    const plan = await publishComposed(target, { ...out, dryRun: true });
    const done = await publishComposed(target, out);
    expect(done).toMatchObject({ traffic: { deletes: plan.deletes.length } });
    expect(await leftOf('failed', history)).toEqual([]);
    const all = filesIn(await intact('failed'));
    expect([...all.keys()].filter((path) => plan.deletes.some((one) => path.endsWith(one.slice(2))))).toEqual([]);
    expect(requests).toBe(4);
    target.close();
  });

  it.skipIf(skip)('waits for the deletes of a run that ends while this one begins', async () => {
    const history = new History(`${name} beginning`);
    const target = await place.open('beginning');
    await history.add(records.first, 9);
    await publishComposed(target, { ...options, out: history.out });
    await history.remove(records.first[0], 8);
    const beginning: Target = {
      ...bound(target),
      get: async (path, signal) => {
        if (path === 'head.json') {
          await expect(publishComposed(killedAt(target, 'remove'), { ...options, out: history.out })).rejects.toThrow('killed');
        }
        return await target.get(path, signal);
      },
    };
    await expect(publishComposed(beginning, { ...options, out: history.out })).rejects.toMatchObject({ code: 'target-busy' });
    target.close();
  });

  it.skipIf(skip)('publishes a removal although nodes of earlier states are missing or damaged', async () => {
    const history = new History(`${name} lost nodes`);
    const target = await place.open('lost-nodes');
    const roots: string[] = [];
    for (const [index, added] of [records.first, records.one, records.many].entries()) {
      await history.add(added, 9 - index);
      await publishComposed(target, { ...options, out: history.out });
      roots.push(readHead(history.out)?.data.root ?? '');
    }
    const pathOf = (chunk = '') => `chunks/${chunk.slice(0, 2)}/${chunk.slice(2)}`;
    await target.remove(pathOf(roots[0]), options.signal);
    const headers = { contentType: 'text/plain', cacheControl: '', contentEncoding: '' };
    const damaged = { bytes: Buffer.from('{}'), headers, digest: roots[1] ?? '' };
    await target.put(pathOf(roots[1]), damaged, options.signal);
    await history.remove(records.first[0], 6);
    const done = await publishComposed(target, { ...options, out: history.out });
    expect(done).toMatchObject({ unreadable: 2, dropped: 3, head: { generation: 4 } });
    const files = filesIn(await intact('lost-nodes'));
    expect(roots.filter((root) => files.has(pathOf(root)))).toEqual([]);
    expect(await publishComposed(target, { ...options, out: history.out })).toMatchObject({ isIdle: true, unreadable: 0 });
    target.close();
  });

  it.skipIf(skip)('fails for one of two publishers at the same time, and keeps the state of the other', async () => {
    const [one, two] = [new History(`${name} one`), new History(`${name} two`)];
    await one.add(records.first, 3);
    const target = await place.open('two');
    await publishComposed(target, { ...options, out: one.out });
    cpSync(one.out, two.out, { recursive: true });
    cpSync(one.store, two.store);
    await one.add(records.one, 2);
    await two.add(records.many, 1);
    // the second run publishes when the first one is about to write the head
    let other: unknown;
    const racing: Target = {
      ...bound(target),
      put: async (path, upload, signal, condition) => {
        if (path === 'head.json' && other === undefined) {
          other = 'running';
          await publishComposed(bound(target), { ...options, out: two.out });
        }
        return target.put(path, upload, signal, condition);
      },
    };
    await expect(publishComposed(racing, { ...options, out: one.out })).rejects.toMatchObject({ code: 'target-busy' });
    expect(await composed(await intact('two'), 'rest/data/page/2/index.json')).toBe(await two.page());
    for (const append of [false, true]) {
      await expect(publishComposed(target, { ...options, out: one.out, append })).rejects.toMatchObject({ code: 'generations-lost' });
    }
    const forced = await publishComposed(target, { ...options, out: one.out, dropGenerations: true });
    // no number stands for two states
    expect(forced).toMatchObject({ dropped: 2, head: { generation: 4 } });
    expect(await composed(await intact('two'), 'rest/data/page/2/index.json')).toBe(await one.page());
    target.close();
  });

  it.skipIf(skip)('continues its generations with a tree that was built in a new folder', async () => {
    const [old, job] = [new History(`${name} kept`), new History(`${name} new`)];
    const target = await place.open('append');
    for (const [index, added] of [records.first, records.one].entries()) {
      await old.add(added, 9 - index);
      await publishComposed(target, { ...options, out: old.out });
    }
    const second = await old.page();
    cpSync(old.store, job.store);
    await job.add(records.many, 20);
    await expect(publishComposed(target, { ...options, out: job.out })).rejects.toMatchObject({ code: 'generations-lost' });
    const third = await publishComposed(target, { ...options, out: job.out, append: true });
    expect(third).toMatchObject({ before: 2, dropped: 0, head: { generation: 3, log: { count: 3 } } });
    // the log is new, and the states share their chunks
    const own = without(job.chunks(), old.chunks());
    expect(third.uploads).toBeLessThanOrEqual(own.length + 2);
    expect(await publishComposed(target, { ...options, out: job.out, append: true })).toMatchObject({ isIdle: true });
    const copy = await intact('append');
    expect(await composed(copy, 'rest/data/page/2/index.json')).toBe(await job.page());
    expect(await composed(copy, 'rest/data/index.json', 'as_of=2')).toBe(await composed(old.out, 'rest/data/index.json', 'as_of=2'));
    expect(second).toBe(await composed(old.out, 'rest/data/page/2/index.json'));

    // this folder has the state of the target, so it continues without the option
    await job.add(records.backfill, 1);
    expect(await publishComposed(target, { ...options, out: job.out })).toMatchObject({ head: { generation: 4 }, dropped: 0 });
    // an old copy of the published tree would go back
    const stale = publishComposed(target, { ...options, out: old.out, append: true });
    await expect(stale).rejects.toMatchObject({ code: 'generations-lost' });

    // after a removal, the number of an earlier state must not stand for the new one
    const removed: string = JSON.parse(records.first[0] ?? '').account;
    await removeAccounts(job.store, [removed], { now: '2026-11-22T00:00:00Z', allowUnknown: false, isDryRun: false });
    rmSync(job.out, { recursive: true });
    await job.build(0);
    const after = await publishComposed(target, { ...options, out: job.out, append: true });
    expect(after).toMatchObject({ dropped: 4, head: { generation: 5, log: { count: 1 } } });
    expect(await composed(await intact('append'), 'rest/data/index.json', 'as_of=1')).toBe(404);

    // a tree from before the removal would bring the account back
    for (const append of [false, true]) {
      const back = publishComposed(target, { ...options, out: old.out, append });
      await expect(back).rejects.toMatchObject({ code: 'generations-lost', message: expect.stringContaining('removed') });
    }
    // unless the removal was ended on purpose
    expect(await publishComposed(target, { ...options, out: old.out, dropGenerations: true })).toMatchObject({ dropped: 1 });
    target.close();
  });

  it.skipIf(skip)('detects chunks that were changed, in the tree and at the target, and repairs them', async () => {
    const history = new History(`${name} changed`);
    const target = await place.open('changed');
    await history.add(records.first, 3);
    await publishComposed(target, { ...options, out: history.out });
    await history.add(records.one, 2);
    const root = readHead(history.out)?.data.root ?? '';
    const path = join(history.out, 'chunks', root.slice(0, 2), root.slice(2));
    const bytes = readFileSync(path);
    appendFileSync(path, ' ');
    await expect(publishComposed(target, { ...options, out: history.out })).rejects.toMatchObject({ code: 'tree-edited' });
    expect(readHead(await intact('changed'))?.generation).toBe(1);
    writeFileSync(path, bytes);
    await publishComposed(target, { ...options, out: history.out });

    const old = readHead(history.out)?.data.node.children[0]?.[0] ?? '';
    const object = `chunks/${old.slice(0, 2)}/${old.slice(2)}`;
    const headers = { contentType: 'text/plain', cacheControl: '', contentEncoding: '' };
    await target.put(object, { bytes: Buffer.from('{}'), headers, digest: old }, options.signal);
    expect(await publishComposed(target, { ...options, out: history.out })).toMatchObject({ isIdle: true });
    const repaired = await publishComposed(target, { ...options, out: history.out, repair: true });
    expect(repaired.done.uploads).toBe(1);
    await intact('changed');
    const log = readHead(history.out)?.log.node.children[0]?.[0] ?? '';
    await target.remove(`chunks/${log.slice(0, 2)}/${log.slice(2)}`, options.signal);
    await expect(rollback(target, { ...options, generation: undefined })).rejects.toMatchObject({ code: 'target-edited' });
    const again = await publishComposed(target, { ...options, out: history.out, repair: true });
    expect(again.done.uploads).toBe(1);
    expect(await rollback(target, { ...options, generation: undefined })).toMatchObject({ head: { generation: 1 } });
    target.close();
  });

  it.skipIf(skip)(
    'keeps a complete state when it is killed at any moment',
    async () => {
      const history = new History(`${name} killed`);
      const random = chance(3);
      const args = ['publish', ...place.args('killed'), '--out', history.out, '--max-delete', '100%', '--concurrency', '4'];
      await history.add(records.first, 9);
      await palimpsestJson(args, { env: place.env });
      let kills = 0;
      for (let night = 0; night < KILLS; night += 1) {
        await history.add(records.many.slice(night * 10, night * 10 + 10), 8 - night / 100);
        const { signal } = await runAndKill(
          [...args, '--single-publisher', '--keep', '1d'],
          { delay: 200 + random() * 1_000 },
          { env: place.env },
        );
        if (signal === 'SIGKILL') kills += 1;
        await intact('killed');
      }
      await palimpsestJson([...args, '--single-publisher', '--keep', '1d'], { env: place.env });
      await intact('killed');
      console.log(`${kills} of ${KILLS} publishes to ${name} were killed`);
      expect(readHead(history.out)?.generation).toBe(1 + KILLS);
      const marker = await (await place.open('killed')).get('publish.json', options.signal);
      expect(JSON.parse(marker?.bytes.toString() ?? '')).toMatchObject({ deletes: [] });
    },
    60_000 + KILLS * 10_000,
  );
});

/** Changes the head of a target as if all its publishes were some days earlier. */
async function publishedEarlier(target: Target, days: number): Promise<void> {
  const bytes = (await target.get('head.json', options.signal))?.bytes ?? Buffer.from('');
  const head: ComposedHead = JSON.parse(bytes.toString());
  const published = head.published?.map(({ generation, time }) => ({
    generation,
    time: new Date(Date.parse(time) - days * DAY).toISOString(),
  }));
  const upload = Buffer.from(`${JSON.stringify({ ...head, published })}\n`);
  const headers = { contentType: 'application/json', cacheControl: options.cacheControl, contentEncoding: '' };
  await target.put('head.json', { bytes: upload, headers, digest: hash('sha256', upload) }, options.signal);
}

/** Changes the state of a target as if all its states were noted some days earlier. */
async function notedEarlier(target: Target, days: number): Promise<void> {
  const state = JSON.parse((await target.get('publish.json', options.signal))?.bytes.toString() ?? '');
  const states = state.states.map((one: { readonly since: number }) => ({ ...one, since: one.since - days * DAY }));
  const bytes = Buffer.from(`${JSON.stringify({ ...state, states })}\n`);
  const headers = { contentType: 'application/json', cacheControl: '', contentEncoding: '' };
  await target.put('publish.json', { bytes, headers, digest: hash('sha256', bytes) }, options.signal);
}

/** Whether a chunk is a leaf of a log, or a node above such leaves: its keys are times. */
const isLog = (bytes: Buffer) =>
  bytes.includes('"generation":') || /^\{"level":1,"children":\[\["\w+",\d+,\d+,1\d{12}\]/.test(bytes.toString());

/** Returns a target at which a run is killed: from the chosen request on, no request arrives. */
function killedAt(target: Target, method: 'put' | 'remove', path = /./, after = 0): Target {
  let [isKilled, requests] = [false, 0];
  const check = (name: 'put' | 'remove', at: string) => {
    if (name === method && path.test(at)) requests += 1;
    isKilled ||= requests > after;
    if (isKilled) throw new Error('killed');
  };
  return {
    ...bound(target),
    put: async (at, upload, signal, condition) => {
      check('put', at);
      return await target.put(at, upload, signal, condition);
    },
    remove: async (at, signal) => {
      check('remove', at);
      await target.remove(at, signal);
    },
  };
}

/** Returns the paths of one set that another one does not have. */
function without(paths: ReadonlySet<string>, others: ReadonlySet<string>): string[] {
  return [...paths].filter((path) => !others.has(path));
}

/** Returns the methods of a target, so that a test can replace one. */
function bound(target: Target): Target {
  return {
    name: target.name,
    prices: target.prices,
    keepsHeaders: target.keepsHeaders,
    get: (path, signal) => target.get(path, signal),
    head: (path, signal) => target.head(path, signal),
    put: (path, upload, signal, condition) => target.put(path, upload, signal, condition),
    remove: (path, signal) => target.remove(path, signal),
    renew: () => target.renew(),
    close: () => target.close(),
  };
}

describe('an object store without conditional writes', () => {
  it.skipIf(SWIFT.requirement.skip)('is refused before anything is published, except with --single-publisher', async () => {
    const store = await SWIFT.start();
    try {
      const history = new History('swift');
      await history.add((await lines()).first.slice(0, 300), 1);
      const args = ['publish', SWIFT.address('composed'), '--out', history.out];
      const env = SWIFT.env(store.endpoint);
      const refused = await palimpsest([...args, '--json'], { env });
      expect({ code: refused.code, ...JSON.parse(refused.stdout) }).toMatchObject({ code: 3, error: { code: 'no-conditional-writes' } });
      expect(await palimpsestJson([...args, '--single-publisher'], { env })).toMatchObject({ generation: 1, conditional: false });
    } finally {
      await store.stop();
    }
  });

  it('is refused if it ignores the condition', async () => {
    const target = await openTarget(join(folder, 'ignoring'), '', { connections: 8, secrets: {} });
    const ignoring: Target = { ...bound(target), put: (path, upload, signal) => target.put(path, upload, signal) };
    const history = new History('ignored');
    await history.add((await lines()).first.slice(0, 300), 1);
    await expect(publishComposed(ignoring, { ...options, out: history.out })).rejects.toMatchObject({ code: 'no-conditional-writes' });
    expect(await target.get('head.json', options.signal)).toBeUndefined();
    const done = await publishComposed(ignoring, { ...options, out: history.out, isSinglePublisher: true });
    expect(done.isConditional).toBe(false);
    rmSync(join(folder, 'ignoring', 'publish.json'));
    expect((await verify({ out: join(folder, 'ignoring') })).violations).toEqual([]);
  });
});

describe('palimpsest publish with a composed tree', () => {
  it('shows a plan, publishes, goes back, and refuses options of the other layout', async () => {
    const history = new History('program');
    const site = join(folder, 'program site');
    const { first, one } = await lines();
    await history.add(first, 2);
    const publish = ['publish', site, '--out', history.out];
    const plan = await palimpsestJson([...publish, '--plan']);
    expect(plan).toMatchObject({ plan: { uploads: history.chunks().size, deletes: 0, dropped: 0 }, refusals: [] });
    expect(await palimpsestJson(publish)).toMatchObject({ generation: 1, before: null, done: { uploads: history.chunks().size } });
    await history.add(one, 1);
    expect(await palimpsestJson(publish)).toMatchObject({ generation: 2, before: 1, invalidate: ['/api/head.json', '/api/rest/*'] });
    expect(await palimpsestJson(['publish', site, '--rollback', '1', '--plan'])).toMatchObject({ generation: 1, before: 2 });
    expect(readHead(site)?.generation).toBe(2);
    expect(await palimpsestJson(['publish', site], { env: { PALIMPSEST_ROLLBACK: '1' } })).toMatchObject({ generation: 1 });
    expect(readHead(site)?.generation).toBe(1);
    for (const extra of [['--keep', '9d'], ['--append'], ['--drop-generations'], ['--repair']]) {
      const refused = await palimpsest(['publish', site, '--rollback', '2', ...extra, '--json']);
      expect({ code: refused.code, ...JSON.parse(refused.stdout) }, extra[0]).toMatchObject({ code: 2, error: { code: 'usage' } });
    }
    const gzip = await palimpsest([...publish, '--gzip', '--json']);
    expect({ code: gzip.code, ...JSON.parse(gzip.stdout) }).toMatchObject({ code: 2, error: { code: 'usage' } });

    const flat = join(folder, 'flat');
    await palimpsestJson(['build', '--store', history.store, '--out', flat, '--base-url', 'https://history.example']);
    for (const extra of [['--keep', '9d'], ['--append'], ['--drop-generations'], ['--single-publisher']]) {
      const refused = await palimpsest(['publish', join(folder, 'flat site'), '--out', flat, ...extra, '--json']);
      expect({ code: refused.code, ...JSON.parse(refused.stdout) }, extra[0]).toMatchObject({ code: 2, error: { code: 'usage' } });
    }
    await palimpsestJson(['publish', join(folder, 'flat site'), '--out', flat]);
    const other = await palimpsest(['publish', join(folder, 'flat site'), '--out', history.out, '--json']);
    expect({ code: other.code, ...JSON.parse(other.stdout) }).toMatchObject({ code: 3, error: { code: 'other-layout' } });
    const reverse = await palimpsest(['publish', site, '--out', flat, '--json']);
    expect({ code: reverse.code, ...JSON.parse(reverse.stdout) }).toMatchObject({ code: 3 });
  });

  it('fails once if chunks of a removed account may stay at the target', async () => {
    const history = new History('unreadable');
    const site = join(folder, 'unreadable site');
    await history.add((await lines()).first, 2);
    const publish = ['publish', site, '--out', history.out, '--max-delete', '100%'];
    await palimpsestJson(publish);
    const { log, account } = readHead(history.out) ?? {};
    for (const lost of [log?.node.children[0]?.[0] ?? '', account?.root ?? ''])
      rmSync(join(site, 'chunks', lost.slice(0, 2), lost.slice(2)));
    await history.remove((await lines()).first[0], 1);
    const done = await palimpsest([...publish, '--json']);
    expect({ code: done.code, ...JSON.parse(done.stdout) }).toMatchObject({ code: 1, generation: 2, unreadable: 1 });
    expect(done.stderr).toContain('missing or damaged');
    expect(await palimpsestJson(publish)).toMatchObject({ unreadable: 0 });
    expect((await verify({ out: site })).violations).toEqual([]);
  });
});
