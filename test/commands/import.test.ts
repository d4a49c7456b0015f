import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';

// these tests are about single items: the guard for many of them is tested in observe-guards.test.ts
process.env['PALIMPSEST_MAX_REJECTED'] = '100%';

const record = (id: number, more: object = {}) => ({
  id,
  account: 'jack',
  data_type: 'Bio',
  previous: null,
  text: 'hello',
  first_encountered_date: '2023-11-18T16:29:12Z',
  diff_html: '',
  web_archive_url: null,
  ...more,
});
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
    [
      'a field that stands twice in a record of a page',
      JSON.stringify(page(record(2))).replace('"id":2', '"id":2,"\\u0069d":3'),
      { code: 'bad-json', line: 1, field: 'results[0].id' },
    ],
    [
      'a page that has its results twice',
      `{"count":1,"next":null,"previous":null,\n"results":[${JSON.stringify(record(2))}],"results":[]}`,
      { code: 'bad-json', line: 1, field: 'results' },
    ],
    [
      'an id that would be rounded',
      lines(record(2)).replace('"id":2', '"id":9007199254740990.6'),
      { code: 'bad-field', line: 1, field: 'id', found: '9007199254740990.6, which JSON parsers round to 9007199254740991' },
    ],
    [
      'an id that would be rounded to zero',
      lines(record(2)).replace('"id":2', '"id":1e-400'),
      { code: 'bad-field', line: 1, field: 'id', found: '1e-400, which JSON parsers round to 0' },
    ],
    ['a truncated page', JSON.stringify(page(record(2), record(3))).slice(0, -40), { code: 'bad-json', line: 1 }],
    ['a truncated array', JSON.stringify([record(2), record(3)], null, 1).slice(0, -40), { code: 'bad-json', line: 12 }],
    ['an error response', '{"detail":"Invalid page."}', { code: 'bad-field', found: 'an error response, "Invalid page."' }],
    ['a page that is none', '{"count":1,"next":null,"previous":null,"results":7}', { code: 'bad-field', field: 'results' }],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe]), { code: 'bad-encoding' }],
    ['cut gzip', gzipSync(lines(record(2))).subarray(0, 40), { code: 'bad-encoding' }],
    ['nesting without end', '['.repeat(200_000), { code: 'bad-json' }],
    ['arrays in arrays', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, { code: 'bad-field' }],
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

  it('leaves no store to build from if the first import fails', async () => {
    const folder = temporaryFolder();
    expect(await palimpsestHere(['import', join(folder, 'missing'), '--store', join(folder, 'store.db')])).toMatchObject({ code: 1 });
    expect(await palimpsestHere(['import', '-', '--store', join(folder, 'store.db')], { input: '{"id":"x"}' })).toMatchObject({ code: 1 });
    const built = await palimpsestHere(['build', '--store', join(folder, 'store.db'), '--out', join(folder, 'out')]);
    expect(built).toMatchObject({ code: 1, stderr: expect.stringContaining('(no-store)') });
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });

  it('writes rejects to a file, appends to it in the next run, and keeps it if the import fails', async () => {
    const { folder, store } = await storeOfOne();
    const rejects = join(folder, 'rejects.ndjson');
    const input = `${lines(record(2), record(3, { text: 5 }))}nonsense\n${lines(record(4))}`;
    expect(await palimpsestJson(['import', '-', '--store', store, '--rejects', rejects], { input })).toMatchObject({
      records: { added: 2 },
      rejected: 2,
    });
    const kept = readFileSync(rejects, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(kept).toMatchObject([
      { code: 'bad-field', file: 'standard input', line: 2, field: 'text', expected: 'a string or null', found: '5', item: { id: 3 } },
      { code: 'bad-json', line: 3, item: 'nonsense' },
    ]);
    await palimpsestJson(['import', '-', '--store', store, '--rejects', rejects], { input: `${lines(record(1))}{}` });
    expect(readFileSync(rejects, 'utf8').trim().split('\n')).toHaveLength(3);
    const failing = ['import', '-', '--store', store, '--rejects', rejects, '--require-complete'];
    expect(await palimpsestHere(failing, { input: Buffer.from([0x7b, 0xff, 0x0a]) })).toMatchObject({ code: 1 });
    expect(readFileSync(rejects, 'utf8').trim().split('\n')).toHaveLength(3);
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

  it('suggests similar command and option names', async () => {
    expect((await palimpsestHere(['imprt', 'x'])).stderr).toContain('did you mean import?');
    expect((await palimpsestHere(['import', 'x', '--on-conflct', 'keep'])).stderr).toContain('did you mean --on-conflict?');
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
