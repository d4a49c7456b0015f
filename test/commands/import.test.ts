import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bioRecord as record } from '../support/bio-record.ts';
import { temporaryFolder } from '../support/folder.ts';
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
      records_by_outcome: { added: 2 },
    });
    expect(await palimpsestJson(['import', inside, '--store', store])).toMatchObject({ records_by_outcome: { added: 0, same: 2 } });
    expect(await palimpsestJson(['import', '-', '--store', store], { input: bytes })).toMatchObject({
      records_by_outcome: { added: 0, same: 2 },
    });
  });

  it.each(['', ':memory:'])('rejects the store name %j, which names no file', async (store) => {
    expect(await palimpsestHere(['import', '-', '--store', store], { input: lines(record(1)) })).toMatchObject({ code: 2 });
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
});
