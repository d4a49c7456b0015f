import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bioRecord as record } from '../support/bio-record.ts';
import { filesIn, temporaryFolder, valuesIn } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';

// these tests are about single items: the guard for many of them is tested in observe-guards.test.ts
process.env['PALIMPSEST_MAX_REJECTED'] = '100%';

const page = (...results: readonly object[]) => ({ count: results.length, next: null, previous: null, results });
const lines = (...values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** A folder with a store of one record. */
async function storeOfOne(): Promise<{ folder: string; store: string }> {
  const folder = temporaryFolder();
  const store = join(folder, 'store.db');
  await palimpsestJson(['import', '-', '--store', store], { input: lines(record(1)) });
  return { folder, store };
}

describe('palimpsest import', () => {
  const sources: readonly (readonly [string, string | Uint8Array])[] = [
    [
      'NDJSON with CRLF, blank lines, a byte order mark and no end',
      `\ufeff${lines(record(2)).replace('\n', '\r\n')}\r\n\r\n${lines(record(3)).trim()}`,
    ],
    ['an indented page', JSON.stringify(page(record(2), record(3)), null, 4)],
    ['an array of pages', JSON.stringify([page(record(2)), page(record(3))])],
    ['two gzip members', Buffer.concat([gzipSync(lines(record(2))), gzipSync(lines(record(3)))])],
  ];

  it.each(sources)('imports %s from a file, a folder and standard input', async (_, bytes) => {
    const { folder, store } = await storeOfOne();
    const inside = join(folder, 'in');
    mkdirSync(join(inside, 'deeper'), { recursive: true });
    writeFileSync(join(inside, 'deeper', 'whatever.txt'), bytes);
    writeFileSync(join(inside, '.hidden'), 'not this');
    expect(await palimpsestJson(['import', join(inside, 'deeper', 'whatever.txt'), '--store', store])).toMatchObject({
      records: { added: 2 },
    });
    expect(await palimpsestJson(['import', inside, '--store', store])).toMatchObject({ records: { added: 0, same: 2 } });
    expect(await palimpsestJson(['import', '-', '--store', store], { input: bytes })).toMatchObject({ records: { added: 0, same: 2 } });
  });

  const inputErrors: readonly (readonly [string, string | Uint8Array, object])[] = [
    [
      'a field of the wrong type',
      lines(record(2), record(3, { text: 5 })),
      { code: 'bad-field', line: 2, field: 'text', expected: 'a string or null', found: '5' },
    ],
    [
      'a bad record inside an indented page',
      JSON.stringify(page(record(2), record(3, { previous: 'x' })), null, 2),
      { code: 'bad-field', line: 16, field: 'results[1].previous' },
    ],
    ['cut gzip', gzipSync(lines(record(2))).subarray(0, 40), { code: 'bad-encoding' }],
    ['nesting without end', '['.repeat(200_000), { code: 'bad-json' }],
  ];

  it.each(inputErrors)('reports the place of %s, and does not change the store', async (_, bytes, error) => {
    const { folder, store } = await storeOfOne();
    const file = join(folder, 'flawed.json');
    writeFileSync(file, bytes);
    const before = readFileSync(store);
    const { code, stdout, stderr } = await palimpsestHere(['import', file, '--store', store, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({ file, ...error });
    expect(stderr).toMatch(/^error: .*\n {2}where .*\n {2}expected .*\n {2}found .*\n {2}try .*\n( {2}also .*\n)?$/);
    expect(readFileSync(store).equals(before)).toBe(true);
  });

  it('writes rejects to a file, appends to it in the next run, and keeps it if the import fails', async () => {
    const { folder, store } = await storeOfOne();
    const rejects = join(folder, 'rejects.ndjson');
    const input = `${lines(record(2), record(3, { text: 5 }))}nonsense\n${lines(record(4))}`;
    expect(await palimpsestJson(['import', '-', '--store', store, '--rejects', rejects], { input })).toMatchObject({
      records: { added: 2 },
      rejected: 2,
    });
    expect(valuesIn(rejects)).toMatchObject([
      { code: 'bad-field', file: 'standard input', line: 2, field: 'text', expected: 'a string or null', found: '5', item: { id: 3 } },
      { code: 'bad-json', line: 3, item: 'nonsense' },
    ]);
    await palimpsestJson(['import', '-', '--store', store, '--rejects', rejects], { input: `${lines(record(1))}{}` });
    expect(valuesIn(rejects)).toHaveLength(3);
    const failing = ['import', '-', '--store', store, '--rejects', rejects, '--require-complete'];
    expect(await palimpsestHere(failing, { input: Buffer.from([0x7b, 0xff, 0x0a]) })).toMatchObject({ code: 1 });
    expect(valuesIn(rejects)).toHaveLength(3);
    expect([...filesIn(folder).keys()].filter((name) => name.includes('draft'))).toEqual([]);
  });

  it.each(['', ':memory:'])('rejects the store name %j, which names no file', async (store) => {
    expect(await palimpsestHere(['import', '-', '--store', store], { input: lines(record(1)) })).toMatchObject({ code: 2 });
  });

  it.each(['build', 'verify'])('rejects an empty path for %s, which would mean the current folder', async (command) => {
    const finished = await palimpsestHere([command, '--out', ''], { cwd: temporaryFolder() });
    expect(finished).toMatchObject({ code: 2, stderr: expect.stringContaining('expected  a path') });
  });

  it('rejects the store and the sources as the rejects file', async () => {
    const { folder, store } = await storeOfOne();
    const source = join(folder, 'source');
    writeFileSync(source, lines(record(3, { text: 5 })));
    for (const file of [store, source]) {
      const before = readFileSync(file);
      expect(await palimpsestHere(['import', source, '--store', store, '--rejects', file])).toMatchObject({ code: 1 });
      expect(readFileSync(file).equals(before)).toBe(true);
    }
  });

  it('is wrong usage without a source, or with a policy that does not exist', async () => {
    expect(await palimpsestHere(['import', 'x', '--on-conflict', 'maybe'])).toMatchObject({ code: 2 });
    expect(await palimpsestHere(['import'])).toMatchObject({ code: 2 });
  });

  it('reads options from the environment, and prefers the command line', async () => {
    const folder = temporaryFolder();
    const env = { PALIMPSEST_STORE: join(folder, 'env.db'), PALIMPSEST_JSON: '1', PALIMPSEST_QUIET: '0' };
    const { stdout } = await palimpsestHere(['import', '-'], { env, input: lines(record(1)) });
    expect(JSON.parse(stdout)).toMatchObject({ store: { path: join(folder, 'env.db'), records: 1 } });
    await palimpsestHere(['import', '-', '--store', join(folder, 'line.db')], { env, input: lines(record(1)) });
    expect(existsSync(join(folder, 'line.db'))).toBe(true);
  });
});
