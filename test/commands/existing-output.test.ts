import { appendFileSync, copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { filesIn } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';

const cwd = folderOfFile();
const SNAPSHOT = '{"observed_at":"2024-01-01T00:00:00Z","screen_name":"ann","bio":"a"}\n';

beforeAll(async () => {
  writeFileSync(join(cwd, 'snapshots.ndjson'), SNAPSHOT);
  await palimpsestJson(['observe', 'snapshots.ndjson'], { cwd });
  await palimpsestJson(['build', '--base-url', 'https://example.org'], { cwd });
});

/** Each output, and one of its files. */
const OUTPUTS = [
  ['normalize snapshots.ndjson', 'n.ndjson', 'n.ndjson'],
  ['export ndjson', 'e.ndjson', 'e.ndjson'],
  ['export csv', 'e.csv', 'e.csv'],
  ['export csv', 'csv', 'csv/records.csv'],
  ['export parquet', 'parquet', 'parquet/accounts.parquet'],
  ['archive wacz', 'a.wacz', 'a.wacz'],
  ['archive warc', 'a.warc', 'a.warc'],
  ['archive bag', 'bag', 'bag/data/build.json'],
] as const;

const outputs = () => [...filesIn(cwd)].filter(([path]) => !path.startsWith('out/') && !path.startsWith('data/'));

describe.each(OUTPUTS)('palimpsest %s --to %s', (command, to, file) => {
  const run = () => palimpsestHere([...command.split(' '), '--to', to], { cwd });

  it('replaces an earlier result', async () => {
    expect(await run()).toMatchObject({ code: 0 });
    const paths = outputs().map(([path]) => path);
    const size = filesIn(cwd).get(file)?.length;
    appendFileSync(join(cwd, file), 'old');
    expect(await run()).toMatchObject({ code: 0 });
    expect(filesIn(cwd).get(file)).toHaveLength(size ?? 0);
    expect(outputs().map(([path]) => path)).toEqual(paths);
  });

  it.skipIf(to.includes('.'))('refuses a folder with anything else', async () => {
    for (const other of ['zzz.txt', ...(to === 'bag' ? ['data/zzz.txt'] : [])]) {
      writeFileSync(join(cwd, to, other), 'mine');
      const before = outputs();
      const { code, stderr } = await run();
      expect([code, stderr]).toEqual([3, expect.stringContaining(`${to} contains something other than an earlier result (not-ours)`)]);
      expect(stderr).toContain(`a folder that contains ${other}\n`);
      expect(outputs()).toEqual(before);
      rmSync(join(cwd, to, other));
    }
  });
});

it.each([
  ['build --out site.tar.gz', '--out', 'ends in .zip'],
  ['build --out SITE.ZIP', '--out', 'ends in .zip'],
  ['build --out b.zip/', '--out', 'ends in .zip'],
  ['archive bag --to bag.zip', '--to', 'does not end in .zip, because a folder is written'],
  ['export csv --to t.tar', '--to', 'ends in .csv'],
  ['export csv --to t.7z', '--to', 'ends in .csv'],
  ['export csv --to t.parquet/', '--to', 'ends in .csv'],
  ['export parquet --to t.tgz', '--to', 'ends in .parquet'],
  ['rewrite nginx --to nginx.tgz', '--to', 'does not end in .tgz'],
])('%s is wrong usage, because it would write a folder of that name', async (line, option, expected) => {
  const before = readdirSync(cwd);
  const { code, stderr } = await palimpsestHere(line.split(' '), { cwd });
  expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`${option}.*\\(usage\\).*expected .*${expected}`, 's'))]);
  expect(readdirSync(cwd)).toEqual(before);
});

it.each(['build --out OLD.ZIP', 'archive bag --to old.tar', 'export csv --to old.zip'])('%s writes to an existing folder', async (line) => {
  mkdirSync(join(cwd, line.split(' ').at(-1) ?? ''));
  expect(await palimpsestHere(line.split(' '), { cwd })).toMatchObject({ code: 0 });
});

it.each([
  ['export ndjson --to', 'other.db'],
  ['export ndjson --to', 'other.db-wal'],
  ['export csv --table records --to', 'other.csv'],
  ['archive wacz --to', 'other.wacz'],
  ['archive warc --to', 'other.warc'],
  ['normalize snapshots.ndjson --to', 'other.ndjson'],
  ['observe snapshots.ndjson --rejects', 'other.db-journal'],
])('palimpsest %s %s refuses another store, and the files beside it', async (command, to) => {
  copyFileSync(join(cwd, 'data/palimpsest.db'), join(cwd, to.replace(/-(wal|journal)$/, '')));
  const before = outputs();
  const { code, stderr } = await palimpsestHere([...command.split(' '), to], { cwd });
  expect([code, stderr]).toEqual([3, expect.stringContaining(`${to} is a store or another database (not-ours)`)]);
  expect(outputs()).toEqual(before);
});

it('a folder with a data folder that is not of a bag is no earlier bag', async () => {
  const to = join(cwd, 'own');
  mkdirSync(join(to, 'data'), { recursive: true });
  expect(await palimpsestHere(['archive', 'bag', '--to', to], { cwd })).toMatchObject({ code: 3 });
});
