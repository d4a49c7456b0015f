import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { byteText } from '../../../src/browse/markup.ts';
import { accountPage } from '../../../src/browse/paths.ts';
import { identities, ndjson } from '../../../src/export/ndjson.ts';
import { importInputs } from '../../../src/import/import.ts';
import { repairStore } from '../../../src/store/check/repair.ts';
import { checkStore } from '../../../src/store/check/store-check.ts';
import { CREATE_CHANGE_TRIGGERS, DROP_CHANGE_TRIGGERS } from '../../../src/store/database/change-triggers.ts';
import { Connection } from '../../../src/store/database/connection.ts';
import { removeAccounts } from '../../../src/store/exclusions/remove.ts';
import { Store } from '../../../src/store/store.ts';
import { Batch } from '../../../src/store/writing/batch.ts';
import { browseFilesAt } from '../../browse/small-site.ts';
import { bioRecord } from '../../support/bio-record.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { contentsOf, observe, type ShownRecord, type Snapshot, sourceOf } from '../../support/snapshots.ts';

let folder: string;
let store: string;
beforeEach(() => {
  folder = temporaryFolder();
  store = join(folder, 'store.db');
});

const at = (day: number) => `2024-03-${String(day).padStart(2, '0')}T04:00:00.000000Z`;
const snapshot = (day: number, bio: string, more: Snapshot = {}): Snapshot => ({
  observed_at: at(day),
  id: '1',
  screen_name: 'nina',
  bio,
  ...more,
});
/** Observes each snapshot in a run of its own. */
async function nights(...snapshots: readonly Snapshot[]): Promise<void> {
  for (const one of snapshots) await observe(store, [one], { onReject: () => {} });
}

/** Returns each value on the page of the account, with the two days between which it changed. */
function shown(handle = 'nina', path = store): readonly string[] {
  const page = browseFilesAt(path).get(accountPage(byteText(handle))) ?? '';
  const daysIn = (html = '') => {
    const days = /Changed between <time[^>]*>(\d+) March 2024, 04:00:00 UTC<\/time> and <time[^>]*>(\d+) March/.exec(html);
    return days === null ? '' : ` ${days[1]}-${days[2]}`;
  };
  return page.split('<section class=entry>').flatMap((section) => {
    const [heading, ...articles] = section.split('<article');
    return articles.map((article) => {
      const value = /.*<div dir=auto>(.*?)<\/div>/s.exec(article)?.[1]?.replace(/<[^>]*>/g, '');
      return `${value}${article.includes(' F">') ? '' : daysIn(heading) + daysIn(article)}`;
    });
  });
}

const recordsIn = (path = store): readonly ShownRecord[] => contentsOf(path).feed;

function exported(path = store): readonly string[] {
  const opened = Store.open(path);
  try {
    return [...ndjson(opened)].join('').split('\n').slice(0, -1);
  } finally {
    opened.close();
  }
}

const load = (values: readonly (Snapshot | string)[], onConflict: 'fail' | 'keep' | 'replace' = 'replace', to = store) =>
  importInputs(to, [sourceOf(values)], { onConflict });

/** Checks that a store is undamaged, and that its export restores it. */
async function expectWhole(handle = 'nina'): Promise<void> {
  expect((await checkStore(store)).findings).toEqual([]);
  const copy = join(folder, 'copy.db');
  await load(exported(), 'fail', copy);
  expect(exported(copy)).toEqual(exported());
  expect(contentsOf(copy)).toEqual(contentsOf(store));
  expect(shown(handle, copy)).toEqual(shown(handle));
}

describe('change intervals on the page of an account', () => {
  it('are shown once for all changes of one time, unless the snapshot before lacked one of their fields', async () => {
    await nights(
      snapshot(1, 'a', { location: 'x' }),
      snapshot(2, 'b', { location: 'y' }),
      snapshot(3, 'b'),
      snapshot(4, 'c', { location: 'z' }),
    );
    const page = browseFilesAt(store).get(accountPage(byteText('nina'))) ?? '';
    expect(page.match(/Changed between/g)).toHaveLength(2);
    expect(shown().toSorted()).toEqual(['a', 'b 1-2', 'c 3-4', 'x', 'y 1-2', 'z']);
  });

  it('are the same in one run and in a run each night', async () => {
    const snapshots = [snapshot(1, 'a'), snapshot(2, 'a'), snapshot(3, 'b', { location: 'x' }), snapshot(4, 'c', { location: 'y' })];
    await nights(...snapshots);
    expect(shown().toSorted()).toEqual(['a', 'b 2-3', 'c 3-4', 'x', 'y 3-4']);
    await expectWhole();
    const before = [contentsOf(store), exported()];
    store = join(folder, 'other.db');
    await observe(store, snapshots);
    expect([contentsOf(store), exported()]).toEqual(before);
  });

  it.each<[string, readonly Snapshot[], readonly string[]]>([
    [
      'with the older time if the account was absent on the night before',
      [snapshot(1, 'a'), { ...snapshot(2, 'z'), id: '2', screen_name: 'omar' }, snapshot(3, 'b')],
      ['b 1-3', 'a'],
    ],
    [
      'but not if the snapshot before lacked the field',
      [snapshot(1, 'a'), snapshot(2, 'a', { bio: undefined }), snapshot(3, 'b')],
      ['b', 'a'],
    ],
    ['but not for the second of two snapshots of one time', [snapshot(1, 'a'), snapshot(2, 'a'), snapshot(2, 'b')], ['b', 'a']],
    [
      'and a late snapshot changes nothing',
      [snapshot(1, 'a'), snapshot(5, 'b'), snapshot(3, 'a'), snapshot(6, 'c')],
      ['c 5-6', 'b 1-5', 'a'],
    ],
  ])('%s', async (_, snapshots, expected) => {
    await nights(...snapshots);
    expect(shown()).toEqual(expected);
    await expectWhole();
  });

  it('stay after a rename, also to a handle that another account had', async () => {
    await nights(snapshot(1, 'a'), { ...snapshot(1, 'z'), id: '2', screen_name: 'omar' }, snapshot(2, 'b'));
    await nights(snapshot(3, 'b', { screen_name: 'omar' }), snapshot(4, 'c', { screen_name: 'omar' }));
    expect(shown('omar')).toEqual(['c 3-4', expect.stringContaining('omar'), 'b 1-2', 'a']);
    await expectWhole('omar');
  });

  it('stay after an import of the same records', async () => {
    await nights(snapshot(1, 'a'), snapshot(2, 'b'));
    const [lines, contents] = [exported(), contentsOf(store)];
    await load(recordsIn());
    await load(lines);
    expect([exported(), contentsOf(store)]).toEqual([lines, contents]);
    await nights(snapshot(3, 'c'));
    expect(shown()).toEqual(['c 2-3', 'b 1-2', 'a']);
  });

  it('come from an export into a store that was restored without them', async () => {
    await nights(snapshot(1, 'a'), snapshot(2, 'b'));
    const copy = join(folder, 'without.db');
    await load(
      exported().map((line) => line.replace(/"change_intervals":\[.*?\],/, '')),
      'fail',
      copy,
    );
    expect(shown('nina', copy)).toEqual(['b', 'a']);
    expect(contentsOf(copy).fingerprint).not.toBe(contentsOf(store).fingerprint);
    await load(exported(), 'fail', copy);
    expect(shown('nina', copy)).toEqual(['b 1-2', 'a']);
    expect(contentsOf(copy)).toEqual(contentsOf(store));
  });

  it('of two stores of different nights are merged', async () => {
    await nights(snapshot(1, 'a'), snapshot(2, 'b'));
    const copy = join(folder, 'later.db');
    copyFileSync(store, copy);
    await observe(copy, [snapshot(3, 'c')]);
    await load(exported(copy));
    expect(shown()).toEqual(['c 2-3', 'b 1-2', 'a']);
    await load(exported(copy));
    await nights(snapshot(4, 'd'));
    expect(shown()).toEqual(['d 3-4', 'c 2-3', 'b 1-2', 'a']);
    await expectWhole();
  });
});

describe('an interval is deleted', () => {
  it.each([
    ['of the record', 1, ['other', 'a']],
    ['of the record before', 0, ['b', 'other']],
  ])('if the text %s is replaced', async (_, index, expected) => {
    await nights(snapshot(1, 'a'), snapshot(2, 'b'));
    const record = recordsIn().toReversed()[index];
    await load([{ ...record, text: 'other', diff_html: '' }], 'replace');
    expect(shown()).toEqual(expected);
    await expectWhole();
  });

  it.each([
    ['the record', 1, ['c', 'a']],
    ['the record before', 0, ['c 2-3', 'b']],
  ])('if %s is deleted', async (_, index, expected) => {
    await nights(snapshot(1, 'a'), snapshot(2, 'b'), snapshot(3, 'c'));
    const batch = new Batch(store, 'by account');
    batch.deleteRecord('nina', recordsIn().toReversed()[index]?.id ?? 0);
    await batch.commit();
    batch.end();
    expect(shown()).toEqual(expected);
    await expectWhole();
  });

  it('if another program changed the value before', async () => {
    await nights(snapshot(1, 'a'), snapshot(2, 'b'), snapshot(3, 'c'));
    const database = new Connection(store);
    database.exec(`UPDATE record SET json = json_replace(json, '$.text', 'other', '$.diff_html', '') WHERE json ->> 'text' = 'a'`);
    database.close();
    expect(shown()).toEqual(['c 2-3', 'b', 'other']);
    await expectWhole();
  });

  it('if the export has other records than the store', async () => {
    await nights(snapshot(1, 'a'), snapshot(2, 'b'));
    const other = join(folder, 'other.db');
    await observe(other, [snapshot(1, 'a')]);
    await observe(other, [snapshot(2, 'not b')]);
    await load(exported(other), 'keep');
    expect(shown()).toEqual(['b 1-2', 'a']);
    await load(exported(other), 'replace');
    expect(shown()).toEqual(['not b 1-2', 'a']);
    await expectWhole();
  });

  it('if another program changed its times', async () => {
    await nights(snapshot(1, 'a'), snapshot(2, 'b'));
    const database = new Connection(store);
    database.exec("UPDATE account SET change_intervals = replace(' ' || change_intervals, '03-01', '02-01')");
    database.close();
    expect(shown()).toEqual(['b', 'a']);
    await expectWhole();
  });

  it('by a repair if its list is damaged, which no page is written from', async () => {
    await nights(snapshot(1, 'a'), snapshot(2, 'b'));
    const database = new Connection(store);
    const change = "UPDATE account SET change_intervals = replace(change_intervals, '03-01', '02-01')";
    database.exec(`${DROP_CHANGE_TRIGGERS} BEGIN; ${change}; ${CREATE_CHANGE_TRIGGERS} COMMIT`);
    database.close();
    expect(() => shown()).toThrow(expect.objectContaining({ code: 'bad-store' }));
    expect((await checkStore(store)).findings).toMatchObject([{ subject: 'account nina', repairable: true }]);
    await repairStore(store);
    expect(shown()).toEqual(['b', 'a']);
    await expectWhole();
  });

  it('if snapshots of the time before contradict each other', async () => {
    await nights(snapshot(3, 'b'));
    await observe(store, [snapshot(5, 'c'), snapshot(5, 'b')], { onReject: () => {} });
    await nights(snapshot(6, 'b'));
    expect(shown()[0]).toBe('b');
  });

  it('if a late snapshot brought the value before', async () => {
    const verified = (day: number, value: boolean | null) => ({ observed_at: at(day), id: '1', screen_name: 'nina', verified: value });
    await nights(verified(3, null), verified(1, true), verified(5, false));
    expect(shown()[0]).toBe('No');
  });

  it.each([at(2), '2024-02-28T04:00:00.000000Z'])('if an export says that the value before was observed on %s', async (from) => {
    await nights(snapshot(1, 'a'), snapshot(2, 'b'));
    const copy = join(folder, 'copy.db');
    await load(
      exported().map((line) => line.replace(/"from":"[^"]*T[^"]*"/, `"from":"${from}"`)),
      'fail',
      copy,
    );
    expect(shown('nina', copy)).toEqual(['b', 'a']);
  });

  it('if its account is removed', async () => {
    await nights(snapshot(1, 'a'), snapshot(2, 'b'));
    expect(readFileSync(store).includes('"checksum":')).toBe(true);
    await removeAccounts(store, ['nina'], { now: '2030-01-01T00:00:00Z', allowUnknown: false, isDryRun: false });
    expect(readFileSync(store).includes('"checksum":')).toBe(false);
  });
});

it('a change has no interval if a record was imported since the snapshot before', async () => {
  await nights(snapshot(1, 'a'), snapshot(3, 'a'));
  const [first] = recordsIn();
  const imported = (id: number, text: string, date: string) => ({
    ...bioRecord(id, { account: 'nina', previous: first?.id ?? 0, text }),
    first_encountered_date: date,
  });
  await load([imported((first?.id ?? 0) + 1, 'b', at(2))]);
  await nights(snapshot(4, 'c'), snapshot(5, 'd'));
  expect(shown()).toEqual(['d 4-5', 'c', 'b', 'a']);
  await expectWhole();
});

it('a change has no interval if an import replaced the value before, and another import restored it', async () => {
  await nights(snapshot(1, 'a'), snapshot(2, 'a'));
  const [record] = recordsIn();
  await load([{ ...record, text: 'b', diff_html: '' }]);
  await nights(snapshot(3, 'b'));
  await load([record ?? '']);
  await nights(snapshot(4, 'c'));
  expect(shown()).toEqual(['c', 'a']);
});

it('a change has no interval after two stores with different snapshots of one time were merged', async () => {
  await nights(snapshot(1, 'a', { location: 'x' }));
  const other = join(folder, 'other.db');
  copyFileSync(store, other);
  await nights(snapshot(2, 'a'));
  await observe(other, [{ ...snapshot(2, ''), bio: undefined, location: 'y' }]);
  const opened = Store.open(other);
  await load([...identities(opened)].join('').trimEnd().split('\n'));
  opened.close();
  await nights(snapshot(3, 'a', { location: 'z' }));
  expect(shown()).toEqual(['z', 'x', 'a']);
});

it.each<[string, object]>([
  ['a time in another form', { from: '2024-03-01' }],
  ['no checksum', { checksum: undefined }],
  ['a field that is not known', { more: 1 }],
])('an export with %s is rejected', async (_, more) => {
  await nights(snapshot(1, 'a'), snapshot(2, 'b'));
  const lines = exported().map((line) => JSON.parse(line));
  const changed = lines.map((line) =>
    line.change_intervals ? { ...line, change_intervals: [{ ...line.change_intervals[0], ...more }] } : line,
  );
  await expect(load(changed, 'fail', join(folder, 'copy.db'))).rejects.toMatchObject({ place: { line: 2, field: 'change_intervals' } });
});
