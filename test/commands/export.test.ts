import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { DUCKDB, duckdb } from '../support/duckdb.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { observe } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';

const store = join(folderOfFile(), 'store.db');

beforeAll(async () => {
  await observe(store, [
    { observed_at: '2020-01-01T00:00:00Z', screen_name: 'ann', id: '1', bio: '=HYPERLINK("x")', verified: true },
    { observed_at: '2020-01-02T00:00:00Z', screen_name: 'new', id: '1', bio: '' },
  ]);
});

describe('palimpsest export csv', () => {
  it('writes the tables into a new folder, as CSV that is safe in a spreadsheet', async () => {
    const to = join(temporaryFolder(), 'a', 'tables');
    const [records, accounts] = [join(to, 'records.csv'), join(to, 'accounts.csv')];
    expect(await palimpsestJson(['export', 'csv', '--to', to, '--store', store])).toMatchObject({
      to,
      store,
      tables: [
        { table: 'records', path: records, rows: 3 },
        { table: 'accounts', path: accounts, rows: 1 },
        { table: 'exclusions', path: join(to, 'exclusions.csv'), rows: 0 },
      ],
    });
    expect(readdirSync(to).toSorted()).toEqual(['accounts.csv', 'exclusions.csv', 'records.csv']);
    expect(readFileSync(join(to, 'exclusions.csv'), 'utf8')).toBe('excluded_at,handles,stable_ids,records\r\n');
    const lines = readFileSync(records, 'utf8').split('\r\n');
    expect(lines[0]).toBe('id,account,data_type,previous,text,first_encountered_date,diff_html,web_archive_url,gone_at,before,date');
    expect(lines[1]).toMatch(/^'1577836800000000,new,Bio,,"'=HYPERLINK\(""x""\)",2020-01-01T00:00:00\.000000Z,"<ins /);
    expect(lines[1]).toMatch(/,,,2020-01-01$/);
    expect(lines).toHaveLength(5);
    expect(readFileSync(accounts, 'utf8')).toBe(
      [
        'screen_name,stable_id,display_name,website,location,bio,verified,profile_image_url,account_creation_date,former_handles,records,first_record_date,last_record_date,observed_to',
        'new,1,"",,"","",true,"",,"[{""handle"":""ann"",""seen_to"":""2020-01-01T00:00:00.000000Z""}]",3,2020-01-01T00:00:00.000000Z,2020-01-02T00:00:00.000000Z,2020-01-02T00:00:00.000000Z',
        '',
      ].join('\r\n'),
    );
    if (!DUCKDB.skip) expect(await duckdb(`SELECT count(*), max(text) FROM read_csv('${records}')`)).toEqual([[3n, 'true']]);
  });

  it('writes one table to a file or to standard output', async () => {
    const folder = temporaryFolder();
    const [records, accounts] = [join(folder, 'x.csv'), join(folder, 'Y.CSV')];
    const { code, stdout } = await palimpsestHere(['export', 'csv', '--to', records, '--store', store]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /x\.csv has only the records; to export the \d+ accounts? with \d+ stable ids? and \d+ former handles?, run/,
      ),
    });
    const env = { PALIMPSEST_TABLE: 'accounts', PALIMPSEST_TO: accounts, PALIMPSEST_STORE: store };
    expect(await palimpsestHere(['export', 'csv'], { env })).toMatchObject({ code: 0, stdout: expect.not.stringContaining('note') });
    expect(readdirSync(folder).toSorted()).toEqual(['Y.CSV', 'x.csv']);
    expect(await palimpsestHere(['export', 'csv', '--to', '-', '--store', store])).toMatchObject({
      code: 0,
      stdout: readFileSync(records, 'utf8'),
    });
    expect(await palimpsestHere(['export', 'csv', '--to', '-', '--table', 'accounts', '--store', store, '--json'])).toMatchObject({
      code: 0,
      stdout: readFileSync(accounts, 'utf8'),
    });
  });

  it('keeps both old files if one of the new ones cannot be written', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'records.csv'), 'old');
    mkdirSync(join(folder, 'accounts.csv'));
    expect(await palimpsestHere(['export', 'csv', '--to', folder, '--store', store])).toMatchObject({ code: 1 });
    expect(readdirSync(folder).toSorted()).toEqual(['accounts.csv', 'records.csv']);
    expect(readFileSync(join(folder, 'records.csv'), 'utf8')).toBe('old');
  });

  it('writes what keeps removed accounts from coming back, as in the NDJSON', async () => {
    const folder = temporaryFolder();
    const copy = join(folder, 'store.db');
    writeFileSync(copy, readFileSync(store));
    await palimpsestJson(['remove', 'new', '--yes', '--store', copy]);
    const { stdout } = await palimpsestHere(['export', 'ndjson', '--to', '-', '--store', copy]);
    const { excluded_at, handles, stable_ids, records } = JSON.parse(stdout.split('\n')[1] ?? '');
    expect(handles).toHaveLength(2);
    const cell = (value: unknown) => {
      const text = JSON.stringify(value);
      return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const { stdout: csv } = await palimpsestHere(['export', 'csv', '--to', '-', '--table', 'exclusions', '--store', copy]);
    expect(csv).toBe(`excluded_at,handles,stable_ids,records\r\n${excluded_at},${cell(handles)},${cell(stable_ids)},${cell(records)}\r\n`);
  });
});

it.each([
  ['csv', 'file', 1, 'file-system'],
  ['csv', 'folder.csv', 1, 'file-system'],
  ['csv', 'x.csv.gz', 2, 'usage'],
  ['csv', 'x.parquet', 2, 'usage'],
  ['csv', 'x.ZIP', 2, 'usage'],
  ['csv', 'store.csv', 2, 'usage'],
  ['ndjson', '', 1, 'file-system'],
  ['ndjson', 'none/file', 1, 'file-system'],
  ['ndjson', 'store.csv', 2, 'usage'],
])('an export is refused as %s to the path %j, and changes nothing', async (format, name, exit, error) => {
  const folder = temporaryFolder();
  const copy = join(folder, 'store.csv');
  writeFileSync(copy, readFileSync(store));
  writeFileSync(join(folder, 'file'), 'kept');
  mkdirSync(join(folder, 'folder.csv'));
  const before = filesIn(folder);
  const { code, stdout } = await palimpsestHere(['export', format, '--to', join(folder, name), '--store', copy, '--json']);
  expect({ code, error: JSON.parse(stdout).error.code }).toEqual({ code: exit, error });
  expect(filesIn(folder)).toEqual(before);
});
