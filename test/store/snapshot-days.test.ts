import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { ABOUT, HOME, monthPage, SITE_SCRIPT } from '../../src/browse/paths.ts';
import { identities, ndjson } from '../../src/export/ndjson.ts';
import { importInputs } from '../../src/import/import.ts';
import { Connection } from '../../src/store/database/connection.ts';
import { Store } from '../../src/store/store.ts';
import { build } from '../../src/tree/build/build.ts';
import { bioRecord } from '../support/bio-record.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { observe, sourceOf } from '../support/snapshots.ts';
import { command } from './damaged-store.ts';

let store: string;
beforeEach(() => {
  store = join(temporaryFolder(), 'store.db');
});

/** A snapshot at noon of a day of March 2024. */
const seen = (day: number, bio = 'a', screen_name = 'ann') => {
  return { observed_at: new Date(Date.UTC(2024, 2, day, 12)).toISOString(), screen_name, id: screen_name, bio };
};
const night = (day: number) => observe(store, [seen(day)]);

/** Reads a store. */
function readFrom<T>(path: string, read: (opened: Store) => T): T {
  const opened = Store.open(path);
  try {
    return read(opened);
  } finally {
    opened.close();
  }
}

/** Returns the days of March with snapshots, such as `1..3 5`. */
const daysOf = (path = store) =>
  readFrom(path, (opened) => opened.snapshotDays())
    .map(({ from, to }) => (from === to ? `${Number(from.slice(8))}` : `${Number(from.slice(8))}..${Number(to.slice(8))}`))
    .join(' ');
const stateOf = (path = store) => readFrom(path, ({ revision }) => revision);

async function aboutOf(path: string): Promise<string> {
  const out = join(temporaryFolder(), 'out');
  await build(path, { out, site: { base_url: 'https://example.org' }, html: true });
  return String(filesIn(out).get(ABOUT));
}

it('a store has the days of all accepted snapshots, in any order, also if they change nothing', async () => {
  for (const day of [1, 5, 2]) await night(day);
  expect(daysOf()).toBe('1..2 5');
  await observe(store, [seen(3), seen(5), seen(2), seen(9)]);
  expect(daysOf()).toBe('1..3 5 9');
  const before = stateOf();
  expect(await night(5)).toMatchObject({ changed: 0, hasNewDay: false });
  expect(await night(4)).toMatchObject({ changed: 0, hasNewDay: true });
  // late: the store has another value for that time
  expect(await observe(store, [seen(7, 'b'), seen(8)], { onReject: () => {} })).toMatchObject({ late: 1, hasNewDay: true });
  expect(await observe(store, [seen(10)], { dryRun: true })).toMatchObject({ hasNewDay: true });
  expect([daysOf(), stateOf()]).toEqual(['1..5 8..9', before]);
});

it('an export has the days with snapshots, also one without records, and an import adds them to those of the store', async () => {
  for (const day of [1, 2, 5]) await night(day);
  for (const write of [ndjson, identities]) {
    const lines = readFrom(store, (opened) => [...write(opened)].join('').trimEnd().split('\n'));
    const copy = join(temporaryFolder(), 'copy.db');
    expect(await importInputs(copy, [sourceOf(lines)], { onConflict: 'fail' })).toMatchObject({ isAboutPageChanged: true });
    expect(daysOf(copy)).toBe('1..2 5');
    if (write === ndjson) expect(await aboutOf(copy)).toBe(await aboutOf(store));
    await observe(copy, [seen(6), seen(9)]);
    await importInputs(copy, [sourceOf(lines)], { onConflict: 'keep' });
    expect(daysOf(copy)).toBe('1..2 5..6 9');
    expect(await importInputs(copy, [sourceOf(lines)], { onConflict: 'keep' })).toMatchObject({ isAboutPageChanged: false });
  }
});

it('a night without changes adds no revision, and a build writes only the pages that show its day, as a build of all pages does', async () => {
  const out = join(temporaryFolder(), 'out');
  const options = { out, site: { base_url: 'https://example.org' } };
  for (const html of [false, true]) {
    await night(html ? 3 : 1);
    await build(store, { ...options, html });
    const [before, files] = [stateOf(), filesIn(out)];
    await night(html ? 4 : 2);
    expect(stateOf()).toEqual(before);
    const verify = ['verify', '--out', out, '--store', store];
    expect((await command(verify)).code).toBe(0);
    expect(await build(store, options)).toMatchObject({ written: html ? 3 : 0, removed: 0 });
    const changed = [...filesIn(out)].flatMap(([path, bytes]) => (files.get(path)?.equals(bytes) ? [] : [path]));
    expect(changed.toSorted()).toEqual(
      html ? [ABOUT, SITE_SCRIPT, monthPage('2024-03'), 'build.json', 'manifest-sha256.txt'].toSorted() : [],
    );
    expect((await command(verify)).code).toBe(0);
  }
  // the rest of March and the whole of April are days without a snapshot as soon as May has one
  await night(70);
  expect(await build(store, options)).toMatchObject({ written: 4 });
  expect(String(filesIn(out).get(HOME))).toMatch(
    /<td class=l0>.*<td colspan=1 class=unseen>no snapshot<td colspan=1>no changes(<td>){7}\n/,
  );
  expect(String(filesIn(out).get(monthPage('2024-03'))).match(/no snapshot/g)).toHaveLength(27);
  // the home page names a month without changes once
  await night(71);
  expect(await build(store, options)).toMatchObject({ written: 2 });
  const fresh = { ...options, out: join(temporaryFolder(), 'fresh'), html: true };
  await build(store, fresh);
  expect(filesIn(out)).toEqual(filesIn(fresh.out));
});

it('a build and verify refuse a damaged list of days, and a repair deletes it', async () => {
  await night(1);
  await importInputs(store, [sourceOf([bioRecord(1, { account: 'dee' })])], { onConflict: 'fail' });
  const before = stateOf().fingerprint;
  const out = join(temporaryFolder(), 'out');
  await build(store, { out, site: { base_url: 'https://example.org' }, html: true });
  const database = new Connection(store);
  database.exec("UPDATE snapshot_days SET spans = replace(spans, '2024', '2025')");
  database.close();
  await expect(aboutOf(store)).rejects.toMatchObject({ code: 'bad-store' });
  expect(await command(['verify', '--out', out, '--store', store])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('bad-store'),
  });
  const check = async (...options: readonly string[]) =>
    JSON.parse((await command(['store', 'check', '--store', store, ...options])).stdout);
  expect((await check()).findings).toEqual([expect.objectContaining({ subject: 'days with snapshots', repairable: true })]);
  expect(await check('--repair')).toMatchObject({ repaired: true });
  expect([await check(), daysOf(), stateOf().fingerprint]).toMatchObject([{ finding_count: 0 }, '', before]);
});
