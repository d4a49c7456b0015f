import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ndjson } from '../../src/export/ndjson.ts';
import { importInputs } from '../../src/import/import.ts';
import { CREATE_CHANGE_TRIGGERS, DROP_CHANGE_TRIGGERS } from '../../src/store/database/change-triggers.ts';
import { Connection } from '../../src/store/database/connection.ts';
import { createSchema } from '../../src/store/database/schema-version.ts';
import { Store } from '../../src/store/store.ts';
import { bioRecord } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { observe, sourceOf } from '../support/snapshots.ts';
import { allRows } from '../support/store-rows.ts';
import { folderOfFile } from '../whole/stores.ts';
import { command } from './damaged-store.ts';

const SITE = ['--base-url', 'https://example.org', '--page-size', '3'];

let folder: string;
let store: string;
const intact = join(folderOfFile(), 'store.db');
let lines: readonly string[];
let rows: readonly unknown[];

beforeAll(async () => {
  await observe(intact, [seen(1, 'ann', 'one'), seen(2, 'bob', 'two'), seen(3, 'ann', 'three'), { ...seen(4, 'cyd', 'four'), id: 'ann' }]);
  [lines, rows] = [linesOf(intact), allRows(intact)];
});

beforeEach(() => {
  folder = temporaryFolder();
  store = join(folder, 'store.db');
  copyFileSync(intact, store);
});

/** Damages a store: bypasses its triggers and constraints, and does not update its checksums. */
function damage(sql: string): void {
  const database = new Connection(store);
  database.exec(`${DROP_CHANGE_TRIGGERS} PRAGMA ignore_check_constraints = ON; ${sql}; ${CREATE_CHANGE_TRIGGERS}`);
  database.close();
}

/** Changes the last byte of the first page of a table or an index: a part of its oldest row. */
function damageLastByte(name: string): void {
  const database = new Connection(store);
  const end = Number(
    database.value(`SELECT rootpage * (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = '${name}'`),
  );
  database.close();
  const bytes = readFileSync(store);
  bytes.writeUInt8(bytes.readUInt8(end - 1) ^ 1, end - 1);
  writeFileSync(store, bytes);
}

const seen = (minute: number, name: string, bio: string) => {
  return { observed_at: new Date(Date.UTC(2020, 0, 1, 0, minute)).toISOString(), screen_name: name, id: name, bio, display_name: 'N' };
};

function linesOf(path: string): string[] {
  const opened = Store.open(path);
  try {
    return [...ndjson(opened)].join('').trimEnd().split('\n');
  } finally {
    opened.close();
  }
}

async function check(...options: string[]) {
  const { code, stdout } = await command(['store', 'check', '--store', store, ...options]);
  return { code, ...JSON.parse(stdout) };
}

/** Damage to derived data. It can be repaired. */
const DERIVED: readonly (readonly [name: string, sql: string, subject: string])[] = [
  ['the copy of a record', "UPDATE history SET head = replace(head, 'three', 'thrEe')", 'history of cyd'],
  ['the copy of a profile', "UPDATE history SET tail = replace(tail, 'four', 'f0ur')", 'history of cyd'],
  ['the number of records in a history', 'UPDATE history SET records = records + 100', 'history of cyd'],
  ['a deleted history', 'DELETE FROM history', 'history of cyd'],
  ['a digest', "UPDATE account SET digest = x'00' WHERE screen_name = 'bob'", 'history of bob'],
  ['the checksum of an account', "UPDATE account SET checksum = 5 WHERE screen_name = 'bob'", 'history of bob'],
  ['the name in lists', "UPDATE account SET listed_name = 'Cyd' WHERE screen_name = 'bob'", 'history of bob'],
  ['the number of changes', "UPDATE account SET listed_changes = 9 WHERE screen_name = 'bob'", 'history of bob'],
  ['a checksum of the feed', 'UPDATE feed_block SET checksum = 5', 'checksums of the feed'],
  ['the days of the feed', "UPDATE feed_block SET days = replace(days, 'B', 'b')", 'blocks of the feed with wrong days'],
  ['a checksum of the days', 'UPDATE feed_block SET days_checksum = 5', 'blocks of the feed with wrong days'],
  ['the fingerprint', "UPDATE revision SET fingerprint = 'x'", 'revision'],
  ['the number of records', 'UPDATE revision SET records = 3', 'revision'],
];

/** Damage to data that cannot be derived. */
const ORIGINAL: readonly (readonly [name: string, sql: string, subject: RegExp])[] = [
  ['a record', "UPDATE record SET json = replace(json, 'three', 'thrEe') WHERE json LIKE '%\"text\":\"three%'", /^record \d+ of cyd$/],
  ["a record's account", 'UPDATE record SET json = replace(json, \'"account":"bob\', \'"account":"cyd\')', /^record \d+ of cyd$/],
  ["a record's checksum", 'UPDATE record SET checksum = 5 WHERE id = (SELECT min(id) FROM record)', /^record \d+ of cyd$/],
  ['a deleted record', 'DELETE FROM record WHERE id = (SELECT min(id) FROM record)', /^account cyd$/],
  [
    'a profile',
    "UPDATE account SET identity = replace(identity, '\"\"', '\"https://x.example\"') WHERE screen_name = 'bob'",
    /^account bob$/,
  ],
  ['a former handle', "UPDATE former_handle SET handle = 'amn'", /^former handles$/],
];

describe('palimpsest store check', () => {
  it('finds nothing in an undamaged store, and --repair does not change the file', async () => {
    const before = readFileSync(store);
    expect(await check()).toMatchObject({ code: 0, finding_count: 0, findings: [], records: 6, accounts: 2, repaired: false });
    expect(await check('--repair')).toMatchObject({ code: 0, repaired: false });
    expect(readFileSync(store)).toEqual(before);
  });

  it.each(DERIVED)('finds damage (%s) and repairs it; no build publishes the damaged data', async (_, sql, subject) => {
    damage(sql);
    const built = await command(['build', '--store', store, '--out', join(folder, 'out'), '--html', ...SITE]);
    // a build does not read digests, only the next revision does
    expect(built.code === 0 ? 'digest' : built.error).toBe(sql.includes('digest') ? 'digest' : 'bad-store');
    expect(existsSync(join(folder, 'out', 'rest'))).toBe(built.code === 0);
    const found = await check();
    expect(found).toMatchObject({ code: 1, repaired: false });
    expect(found.findings).toContainEqual(expect.objectContaining({ subject, repairable: true }));
    expect(await check('--repair')).toMatchObject({ code: 0, repaired: true, damaged_file: `${store}.damaged` });
    expect(existsSync(`${store}.damaged`)).toBe(true);
    expect(await check()).toMatchObject({ code: 0, finding_count: 0 });
    expect(allRows(store)).toEqual(rows);
  });

  it('repairs a store with a record that has the former handle of its account', async () => {
    const id = Number(JSON.parse(lines.at(-1) ?? '').id);
    const later = bioRecord(id + 1, { account: 'ann', previous: id });
    await importInputs(store, [sourceOf([later])], { onConflict: 'keep' });
    const before = linesOf(store);
    damage("UPDATE account SET digest = x'00' WHERE screen_name = 'bob'");
    expect(await check('--repair')).toMatchObject({ code: 0, repaired: true });
    expect(linesOf(store)).toEqual(before);
  });

  it.each(ORIGINAL)('reports damage (%s) as not repairable and changes nothing', async (_, sql, subject) => {
    damage(sql);
    const before = readFileSync(store);
    const found = await check('--repair');
    expect(found).toMatchObject({ code: 1, repaired: false });
    expect(found.findings).toContainEqual(expect.objectContaining({ subject: expect.stringMatching(subject), repairable: false }));
    expect(readFileSync(store)).toEqual(before);
    expect(existsSync(`${store}.damaged`)).toBe(false);
  });

  it.each(['account_handle', 'account_name', 'former_handle', 'former_handle_account'])(
    'is suggested by a build with HTML pages if %s is damaged',
    async (name) => {
      damageLastByte(name);
      const ended = await command(['build', '--html', '--store', store, '--out', join(folder, 'out'), ...SITE]);
      expect(ended).toMatchObject({ code: 1, error: 'bad-store' });
    },
  );

  it('finds a damaged index and repairs it', async () => {
    damageLastByte('record_account');
    const found = await check();
    expect(found.findings).toContainEqual(expect.objectContaining({ subject: 'file', repairable: true }));
    const printed = await palimpsestHere(['store', 'check', '--store', store]);
    expect(printed.stdout).toContain('  contents  6 records; accounts are checked only if the file is not damaged\n');
    expect(await check('--repair')).toMatchObject({ code: 0, repaired: true });
    expect(linesOf(store)).toEqual(lines);
  });

  it('reports a store whose first run did not finish as a build does, and repairs nothing', async () => {
    const unfinished = join(folder, 'unfinished.db');
    const database = new Connection(unfinished);
    createSchema(database, unfinished);
    database.close();
    const commands = [
      ['store', 'check'],
      ['store', 'check', '--repair'],
      ['build', '--out', join(folder, 'out')],
    ];
    for (const args of commands) {
      const { code, error, stderr } = await command([...args, '--store', unfinished]);
      expect([code, error], args.join(' ')).toEqual([1, 'no-store']);
      expect(stderr).toContain('run the same import, observe or mirror again');
    }
  });

  it('does not overwrite the damaged store that an earlier repair kept', async () => {
    const [first] = DERIVED;
    for (const exit of [0, 1]) {
      damage(first?.[1] ?? '');
      expect(await command(['store', 'check', '--repair', '--store', store])).toMatchObject({ code: exit });
    }
  });

  it('is suggested by a build of the HTML pages beside JSON pages that are current', async () => {
    const args = ['build', '--store', store, '--out', join(folder, 'out'), ...SITE];
    expect(await command(args)).toMatchObject({ code: 0 });
    damage(ORIGINAL[0]?.[1] ?? '');
    const { code, error, stderr } = await command([...args, '--html']);
    expect({ code, error }).toEqual({ code: 1, error: 'bad-store' });
    expect(stderr).toContain('store check');
    expect(existsSync(join(folder, 'out', 'index.html'))).toBe(false);
  });

  it('is suggested, with the path of the store, by a build that finds damage', async () => {
    damage(ORIGINAL[0]?.[1] ?? '');
    const { stderr } = await command(['build', '--store', store, '--out', join(folder, 'out'), ...SITE]);
    expect(stderr).toContain(`store check --store ${store}`);
  });

  it.each([[[]], [['--repair']]])('is not suggested by itself, if the file is too damaged to be read (%j)', async (options) => {
    const before = readFileSync(store).subarray(0, 3 * 4096);
    writeFileSync(store, before);
    const { code, stderr } = await command(['store', 'check', ...options, '--store', store]);
    expect(stderr).toContain('(bad-store)');
    expect(stderr).toContain('restore a copy of the store');
    expect(stderr).not.toContain('store check');
    expect(code).toBe(1);
    expect(readFileSync(store)).toEqual(before);
  });
});

describe('damage to a record', () => {
  it.each([
    ['the same account', () => seen(9, 'ann', 'nine')],
    ['another account', () => seen(9, 'bob', 'nine')],
  ])('makes the next observation of %s fail without a change to the store', async (_, snapshot) => {
    damage(ORIGINAL[0]?.[1] ?? '');
    const before = readFileSync(store);
    await expect(observe(store, [snapshot()])).rejects.toMatchObject({ code: 'bad-store' });
    expect(readFileSync(store)).toEqual(before);
  });

  it('is undone by an import of the record with --on-conflict replace', async () => {
    damage(ORIGINAL[0]?.[1] ?? '');
    await expect(importInputs(store, [sourceOf(lines)], { onConflict: 'fail' })).rejects.toMatchObject({ code: 'bad-store' });
    await importInputs(store, [sourceOf(lines)], { onConflict: 'replace' });
    expect(linesOf(store)).toEqual(lines);
    expect(await check()).toMatchObject({ code: 0 });
  });

  it('makes verify --store and history fail with bad-store', async () => {
    const out = join(folder, 'out');
    await command(['build', '--store', store, '--out', out, ...SITE]);
    damage(ORIGINAL[0]?.[1] ?? '');
    expect(await command(['verify', '--store', store, '--out', out])).toMatchObject({ code: 1, error: 'bad-store' });
    expect(await command(['history', 'cyd', '--store', store])).toMatchObject({ code: 1, error: 'bad-store' });
  });

  it('does not affect a build whose tree is up to date', async () => {
    const out = join(folder, 'out');
    await command(['build', '--store', store, '--out', out, ...SITE]);
    damage(DERIVED[0]?.[1] ?? '');
    expect(JSON.parse((await command(['build', '--store', store, '--out', out, ...SITE])).stdout)).toMatchObject({ written: 0 });
  });
});
