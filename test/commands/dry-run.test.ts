import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { bioRecord } from '../support/bio-record.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';

const cwd = folderOfFile();
const snapshot = (day: number) => JSON.stringify({ observed_at: `2024-01-0${day}T00:00:00Z`, screen_name: 'ann', bio: `${day}` });

/** What differs between a dry run and a run: the time, the totals of the store, and what a target or a file has then. */
const UNLIKE = ['milliseconds', 'records', 'accounts', 'version', 'requests', 'bytes', 'page_bytes', 'conditional'];

beforeAll(async () => {
  writeFileSync(join(cwd, 'first.ndjson'), `${JSON.stringify(bioRecord(1))}\n{}\n`);
  writeFileSync(join(cwd, 'second.ndjson'), `${JSON.stringify(bioRecord(2))}\n{}\n`);
  writeFileSync(join(cwd, 'snapshots.ndjson'), `${snapshot(1)}\n{}\n`);
  writeFileSync(join(cwd, 'later.ndjson'), `${snapshot(2)}\n{}\n`);
  await palimpsestJson(['observe', 'snapshots.ndjson', '--store', 'old.db', '--rejects', 'old-rejects.ndjson', '--max-rejected', '50%'], {
    cwd,
  });
  await palimpsestJson(['build', '--store', 'old.db', '--out', 'old'], { cwd });
});

it.each([
  ['import first.ndjson --store new/store.db --rejects rejects.ndjson --max-rejected 50%'],
  ['import second.ndjson --store old.db --rejects old-rejects.ndjson --max-rejected 50%'],
  ['observe snapshots.ndjson --store new/observed.db --rejects rejects.ndjson --max-rejected 50%'],
  ['build --store old.db --out fresh/within/folder --html'],
  ['build --store old.db --out fresh.zip'],
  ['build --store old.db --out old --html --page-size 1 --compress gzip'],
  ['build --store old.db --out old --no-html --page-size 2 --compress none'],
  ['build --store old.db --out fresh.zip --page-size 1'],
  ['observe later.ndjson --store old.db --rejects old-rejects.ndjson --max-rejected 50%'],
  ['export csv --store old.db --to fresh/tables'],
  ['export parquet --store old.db --to accounts.parquet --table accounts'],
  ['archive bag --out old --to bag'],
  ['store push backup --store old.db'],
  ['store push backup --store new/store.db --replace --keep-last 1'],
])('a dry run writes nothing, and shows what the run does: %s', async (line) => {
  const words = line.split(' ');
  const before = filesIn(cwd);
  const folders = readdirSync(cwd, { recursive: true });
  const text = await palimpsestHere([...words, '--dry-run'], { cwd });
  expect([text.code, text.stdout]).toEqual([0, expect.stringContaining('nothing was written: run again without --dry-run')]);
  const all = Object.entries(await palimpsestJson([...words, '--dry-run'], { cwd }));
  const shown = Object.fromEntries(all.filter(([name]) => !UNLIKE.includes(name)));
  expect(shown['dry_run']).toBe(true);
  expect(filesIn(cwd)).toEqual(before);
  expect(readdirSync(cwd, { recursive: true })).toEqual(folders);
  expect(await palimpsestJson(words, { cwd })).toMatchObject({ ...shown, dry_run: false });
  expect(filesIn(cwd)).not.toEqual(before);
});

it('a dry run of an export refuses the path of a file, as the run does', async () => {
  for (const dryRun of [['--dry-run'], []]) {
    const { code, stderr } = await palimpsestHere(['export', 'csv', '--store', 'old.db', '--to', 'old.db', ...dryRun], { cwd });
    expect([code, stderr]).toEqual([1, expect.stringContaining('something that is not a folder')]);
  }
});
