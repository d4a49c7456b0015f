import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/command-line/commands.ts';
import type { CommandSpec } from '../../src/command-line/spec.ts';
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

describe('PALIMPSEST_DRY_RUN', () => {
  const WRITES = [
    ...[
      'exclusions ann --end',
      'mirror https://history.example',
      'normalize snapshots.ndjson --to new.ndjson',
      'rewrite nginx --out old --to new',
    ],
    ...['archive wacz --out old --to new.wacz', 'archive warc --out old --to new.warc', 'export ndjson --store old.db --to new.ndjson'],
    ...['store check --store old.db --repair', 'store pull backup --store new.db'],
  ];
  const READS = [
    ...['exclusions --store old.db', 'rewrite nginx --out old', 'export ndjson --store old.db --to -', 'store check --store old.db'],
    ...['accounts --store old.db', 'history ann --store old.db', 'verify --out old --store old.db', 'completion bash'],
  ];

  it.each(
    WRITES.flatMap((line) => [
      [line, 'DRY_RUN'],
      [line, 'DRYRUN'],
    ]),
  )('is refused by a command that would write and has no dry run, also misspelled: %s, PALIMPSEST_%s=1', async (line, name) => {
    const before = filesIn(cwd);
    const finished = await palimpsestHere([...line.split(' '), '--json'], { cwd, env: { [`PALIMPSEST_${name}`]: '1' } });
    const field = `PALIMPSEST_${name}`;
    const hint = `to run this command, remove ${field}; nothing was changed`;
    expect([finished.code, JSON.parse(finished.stdout).error]).toMatchObject([2, { code: 'usage', field, hint }]);
    expect(filesIn(cwd)).toEqual(before);
  });

  it.each(READS)('changes nothing in a command that writes nothing: %s', async (line) => {
    const result = async (env: Readonly<Record<string, string>>) => {
      const { code, stdout, stderr } = await palimpsestHere(line.split(' '), { cwd, env });
      return { code, stderr, output: stdout.replace(/[\d.]+ m?s\b/g, '') };
    };
    expect(await result({ PALIMPSEST_DRY_RUN: '1' })).toEqual(await result({}));
  });

  it('is refused by every command that is not listed here as one that only reads', () => {
    const reading = Object.entries<CommandSpec>(COMMANDS).filter(
      ([, { options, writes }]) => !('--dry-run' in options) && writes === undefined,
    );
    expect(reading.map(([name]) => name)).toEqual(['serve', 'verify', 'versions', 'history', 'accounts', 'store versions', 'completion']);
  });

  it('is ignored where it is off', async () => {
    const args = ['normalize', 'snapshots.ndjson', '--to', 'new.ndjson', '--rejects', 'rejects.ndjson'];
    expect((await palimpsestHere(args, { cwd, env: { PALIMPSEST_DRY_RUN: '0' } })).stderr).not.toContain('DRY_RUN');
  });
});
