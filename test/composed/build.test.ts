import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildComposed } from '../../src/composed/build.ts';
import { changedTrees } from '../../src/composed/changed-trees.ts';
import { ChunkReader } from '../../src/composed/chunk-folder.ts';
import { readHead } from '../../src/composed/head.ts';
import type { ConflictPolicy } from '../../src/contract/conflict-policy.ts';
import { handleHash } from '../../src/contract/exclusion.ts';
import { importInputs } from '../../src/import/import.ts';
import { inputsOf } from '../../src/sources/inputs.ts';
import { removeAccounts } from '../../src/store/remove.ts';
import { Store } from '../../src/store/store.ts';
import { build } from '../../src/tree/build.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { type History, histories, toNdjson } from '../support/histories.ts';
import { observe } from '../support/snapshots.ts';
import { composed, staticPages, withAsOf } from './composed-pages.ts';

const sample = fileURLToPath(new URL('../../data/sample', import.meta.url));
const saved = fileURLToPath(new URL('../../../shared/data/saved-pages', import.meta.url));

const site = { base_url: 'https://history.example/api', page_size: 7, account_page_size: 3 };
const time = new Date('2026-11-22T03:00:00Z');
const hour = (hours: number) => new Date(time.getTime() + hours * 3_600_000);

async function* nothing() {}

async function importLines(store: string, lines: readonly string[], onConflict: ConflictPolicy = 'fail'): Promise<void> {
  async function* text() {
    yield Buffer.from(lines.join('\n'));
  }
  await importInputs(store, [{ name: 'lines', size: undefined, open: text }], { onConflict });
}

/** Returns both roots of a store that follow from a tree and the changes since then; undefined if the build would read all items. */
function changedRoots(path: string, out: string): readonly string[] | undefined {
  const [store, head] = [Store.open(path), readHead(out)];
  try {
    const since = store.revisionOf(head?.store ?? '');
    if (head === undefined || since === undefined) throw new Error('no earlier state');
    const trees = changedTrees(store, since, head, new ChunkReader(out), () => {});
    return trees && [trees.data.root, trees.account.root];
  } finally {
    store.close();
  }
}

/** The lines of a history in random order, in several batches. */
function batches(history: History): fc.Arbitrary<string[][]> {
  const lines = toNdjson(history);
  return fc
    .tuple(fc.shuffledSubarray(lines, { minLength: lines.length }), fc.array(fc.nat({ max: lines.length }), { maxLength: 4 }))
    .map(([shuffled, places]) => {
      const ends = [...places].sort((a, b) => a - b);
      return [0, ...ends].map((start, index) => shuffled.slice(start, ends[index] ?? shuffled.length)).filter((batch) => batch.length > 0);
    });
}

async function expectSamePages(out: string, pages: ReadonlyMap<string, string>, query = ''): Promise<void> {
  for (const [path, page] of pages) expect(await composed(out, path, query), path).toBe(page);
}

/** Whether a chunk is of the log, or may be. */
const isLog = (bytes: Buffer) => bytes.includes('"generation":') || bytes.includes('"children"');

/** Returns the chunks of a tree without those of its log, which has times. */
function stateOf(out: string): unknown {
  const head = readHead(out);
  return { data: head?.data, account: head?.account };
}

describe('the composed layout of any store', () => {
  it('has the pages of the static layout, in every generation', async () => {
    const folder = temporaryFolder();
    let run = 0;
    const cases = histories(80).chain((history) => fc.tuple(fc.constant(history), batches(history)));
    await fc.assert(
      fc.asyncProperty(cases, async ([history, nights]) => {
        fc.pre(history.records.length + history.accounts.length > 0);
        run += 1;
        const at = (name: string) => join(folder, `${run}`, name);
        const states: Map<string, string>[] = [];
        for (const night of nights) {
          await importLines(at('store.db'), night);
          await build(at('store.db'), { out: at('static'), site });
          const { build: head } = await buildComposed(at('store.db'), { out: at('composed'), site, time: hour(states.length) });
          const pages = staticPages(at('static'));
          if (head.generation > states.length) states.push(pages);
          expect(head.generation).toBe(states.length);
          await expectSamePages(at('composed'), pages);
        }
        for (const [index, pages] of states.entries()) {
          const expected = new Map([...pages].map(([path, page]) => [path, withAsOf(page, site.base_url, index + 1)]));
          await expectSamePages(at('composed'), expected, `as_of=${index + 1}`);
          await expectSamePages(at('composed'), expected, `as_of=${hour(index).toISOString()}`);
        }
        await buildComposed(at('store.db'), { out: at('fresh'), site, time });
        expect(stateOf(at('fresh'))).toEqual(stateOf(at('composed')));
      }),
      { numRuns: 15 },
    );
  });

  it('has the pages of the static layout after any nights of observations, renames and removals', async () => {
    const folder = temporaryFolder();
    let run = 0;
    // an id keeps its account, whatever its name is
    const seen = fc.record({
      id: fc.nat({ max: 30 }),
      name: fc.nat({ max: 2 }),
      bio: fc.constantFrom('', 'one', 'two'),
      hours: fc.nat({ max: 23 }),
    });
    const night = fc.record({
      seen: fc.array(seen, { minLength: 1, maxLength: 60 }),
      removed: fc.option(fc.nat({ max: 30 }), { freq: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(night, { minLength: 2, maxLength: 5 }), async (nights) => {
        run += 1;
        const at = (name: string) => join(folder, `observed ${run}`, name);
        for (const [index, { seen: list, removed }] of nights.entries()) {
          // a night begins a day after the one before: an account has no observation that is older than those in the store
          const snapshots = list.map(({ id, name, bio, hours }) => ({
            observed_at: hour(24 * index + hours).toISOString(),
            id: `${id}`,
            screen_name: `user_${id}_${name}`,
            bio,
          }));
          await observe(at('store.db'), snapshots);
          if (index > 0 && removed !== null) {
            const names = [0, 1, 2].map((name) => `user_${removed}_${name}`);
            const now = hour(24 * index)
              .toISOString()
              .replace('.000Z', 'Z');
            await removeAccounts(at('store.db'), names, { now, isDryRun: false, allowUnknown: true });
          }
          const changed = index === 0 ? undefined : changedRoots(at('store.db'), at('composed'));
          await build(at('store.db'), { out: at('static'), site });
          await buildComposed(at('store.db'), { out: at('composed'), site, time: hour(24 * index) });
          await expectSamePages(at('composed'), staticPages(at('static')));
          await buildComposed(at('store.db'), { out: at(`fresh ${index}`), site, time });
          expect(stateOf(at('composed'))).toEqual(stateOf(at(`fresh ${index}`)));
          const { data, account } = readHead(at('composed')) ?? {};
          if (changed !== undefined) expect(changed).toEqual([data?.root, account?.root]);
        }
      }),
      { numRuns: 8 },
    );
  });

  it('is the same for a store of many leaves after nights with new, late, changed and removed items', async () => {
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    const account = (id: number) => `user_${(id * 7919) % 401}`;
    const record = (id: number, name: string, text: string) =>
      JSON.stringify({
        id,
        account: name,
        data_type: 'Bio',
        previous: null,
        text,
        first_encountered_date: new Date(Date.UTC(2015, 0, 1) + id * 1000).toISOString().replace('.000Z', 'Z'),
        diff_html: `<ins style="background:#e6ffe6;">${text}</ins>`,
        web_archive_url: null,
      });
    const first = Array.from({ length: 4000 }, (_, index) => 1000 + index * 5);
    await importLines(
      at('store.db'),
      first.map((id) => record(id, account(id), `text ${id}`)),
    );
    const add = (ids: readonly number[]) =>
      importLines(
        at('store.db'),
        ids.map((id) => record(id, id % 2 === 0 ? account(id) : `new_${id % 3}`, `late ${id}`)),
      );
    const nights: readonly (() => Promise<unknown>)[] = [
      () => add([30_000, 30_001]),
      () => add([1001, 1002, 9003]),
      () => add([12, 13]),
      () => add(Array.from({ length: 40 }, (_, index) => 1003 + index * 470)),
      () => importLines(at('store.db'), [record(5000, 'user_1', 'another text'), record(5005, 'another_account', 'text')], 'replace'),
      () => removeAccounts(at('store.db'), ['user_7', 'new_1'], { now: '2026-11-22T03:00:00Z', isDryRun: false, allowUnknown: false }),
    ];
    await buildComposed(at('store.db'), { out: at('composed'), site, time });
    expect(readHead(at('composed'))?.data.node.children.length).toBeGreaterThan(15);
    for (const [index, night] of nights.entries()) {
      await night();
      const changed = changedRoots(at('store.db'), at('composed'));
      const summary = await buildComposed(at('store.db'), { out: at('composed'), site, time: hour(index + 1) });
      await buildComposed(at('store.db'), { out: at(`fresh${index}`), site, time });
      const [mine, fresh] = [readHead(at('composed')), readHead(at(`fresh${index}`))];
      expect([mine?.data, mine?.account]).toEqual([fresh?.data, fresh?.account]);
      // the changes alone lead to the same roots as the whole store
      expect(changed).toEqual([fresh?.data.root, fresh?.account.root]);
      const files = filesIn(at('composed'));
      for (const [path, bytes] of filesIn(at(`fresh${index}`)))
        if (path.startsWith('chunks/') && !isLog(bytes)) expect(files.get(path)?.equals(bytes)).toBe(true);
      expect(summary.written).toBeGreaterThan(0);
    }
    await build(at('store.db'), { out: at('static'), site: { ...site, page_size: 100, account_page_size: 20 } });
    await buildComposed(at('store.db'), { out: at('composed'), site: { ...site, page_size: 100, account_page_size: 20 }, time: hour(9) });
    await expectSamePages(at('composed'), staticPages(at('static')));
  });

  it.each([
    ['the sample', sample],
    ['the saved pages of a live service (skipped without them)', saved],
  ])('has the pages of the static layout for %s', async (_, source) => {
    if (!existsSync(source) || readdirSync(source).length === 0) return;
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    const usual = { base_url: 'https://history.example', page_size: 100, account_page_size: 100 };
    await importInputs(at('store.db'), inputsOf([source], nothing()), { onConflict: 'fail' });
    await build(at('store.db'), { out: at('static'), site: usual });
    await buildComposed(at('store.db'), { out: at('composed'), site: usual, time });
    await expectSamePages(at('composed'), staticPages(at('static')));
  });
});

describe('a build of the composed layout', () => {
  it('writes the same bytes for the same store, the same time and the same earlier generations', async () => {
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    await importInputs(at('store.db'), inputsOf([sample], nothing()), { onConflict: 'fail' });
    await buildComposed(at('store.db'), { out: at('one'), site, time });
    await buildComposed(at('store.db'), { out: at('two'), site, time });
    expect(filesIn(at('one'))).toEqual(filesIn(at('two')));
    const before = readFileSync(join(at('one'), 'head.json'));
    expect(await buildComposed(at('store.db'), { out: at('one'), site, time: hour(1) })).toMatchObject({ written: 0, removed: 0 });
    expect(readFileSync(join(at('one'), 'head.json'))).toEqual(before);
  });

  it.each([
    ['in the second of an earlier removal', '2026-11-22T03:00:00Z'],
    ['with a clock that was set back', '2026-11-22T02:00:00Z'],
  ])('drops the earlier generations after a removal %s', async (_, now) => {
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    await importInputs(at('store.db'), inputsOf([sample], nothing()), { onConflict: 'fail' });
    await buildComposed(at('store.db'), { out: at('out'), site, time });
    const [first, second] = accountsOf(at('store.db'));
    for (const [name, moment] of [
      [first, '2026-11-22T03:00:00Z'],
      [second, now],
    ] as const) {
      await removeAccounts(at('store.db'), [`@${name}`], { now: moment, isDryRun: false, allowUnknown: false });
      const summary = await buildComposed(at('store.db'), { out: at('out'), site, time });
      expect(summary).toMatchObject({ dropReason: 'removed-account', droppedGenerations: 1, build: { log: { count: 1 } } });
      expect([...filesIn(at('out'))].filter(([, bytes]) => bytes.includes(`"screen_name":"${name}"`))).toEqual([]);
    }
  });

  it('drops the earlier generations after an import that removed an account', async () => {
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    await importInputs(at('store.db'), inputsOf([sample], nothing()), { onConflict: 'fail' });
    const [first, second, third] = accountsOf(at('store.db'));
    await removeAccounts(at('store.db'), [`@${first}`], { now: '2026-11-22T03:00:00Z', isDryRun: false, allowUnknown: false });
    const excluded = (name = '', records: readonly number[] = []) =>
      JSON.stringify({ excluded_at: '2020-01-01T00:00:00Z', handles: [handleHash(name)], stable_ids: [], records });
    const later = (id: number, account: string | undefined, previous: number | null) => {
      const record = { id, account, data_type: 'Bio', previous, text: 'new', web_archive_url: null };
      const diff_html = '<ins style="background:#e6ffe6;">new</ins>';
      return JSON.stringify({ ...record, first_encountered_date: '2026-11-22T00:00:00Z', diff_html });
    };
    const nights: readonly (() => Promise<void>)[] = [
      // another store has removed it earlier
      () => importLines(at('store.db'), [excluded(second)], 'replace'),
      // a record shows that it is an account that was removed under another handle
      async () => {
        await importLines(at('store.db'), [excluded('before', [990_000])]);
        await importLines(at('store.db'), [later(990_001, third, 990_000)]);
      },
    ];
    for (const [index, night] of nights.entries()) {
      await buildComposed(at('store.db'), { out: at('out'), site, time });
      await night();
      const name = [second, third][index];
      expect(accountsOf(at('store.db'))).not.toContain(name);
      expect(await buildComposed(at('store.db'), { out: at('out'), site, time })).toMatchObject({ dropReason: 'removed-account' });
      expect([...filesIn(at('out'))].filter(([, bytes]) => bytes.includes(`"screen_name":"${name}"`))).toEqual([]);
    }
    // no generation has an account that the same import adds and removes
    await importLines(at('store.db'), [later(990_003, 'fresh', null), later(990_004, 'fresh', 990_001), later(990_005, 'other', null)]);
    expect(accountsOf(at('store.db'))).toContain('other');
    expect(accountsOf(at('store.db'))).not.toContain('fresh');
    expect(await buildComposed(at('store.db'), { out: at('out'), site, time })).toMatchObject({ dropReason: null });
  });
});

/** The screen names of all accounts in a store. */
function accountsOf(path: string): readonly string[] {
  const store = Store.open(path);
  try {
    return Array.from(store.publishedAccounts(), ({ screen_name }) => screen_name);
  } finally {
    store.close();
  }
}
