import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bioRecord } from '../../support/bio-record.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../../support/palimpsest.ts';
import { contentsOf } from '../../support/snapshots.ts';

const lines = (...ids: readonly number[]) => ids.map((id) => `${JSON.stringify(bioRecord(id))}\n`).join('');

/** Imports a folder with the given files. Returns how many records were new and how many were duplicates, and their ids. */
async function imported(files: Readonly<Record<string, string | Uint8Array>>, ...options: readonly string[]) {
  const folder = temporaryFolder();
  const store = join(temporaryFolder(), 'store.db');
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const { records_by_outcome: records } = await palimpsestJson(['import', folder, '--store', store, ...options]);
  return { records, ids: contentsOf(store).feed.map(({ id }) => id) };
}

describe('a compressed file beside a file with the same name', () => {
  it.each(['index.json', 'a.ndjson'])('is read if its content is not that of %s', async (name) => {
    const { records, ids } = await imported({ [name]: lines(1), [`${name}.gz`]: gzipSync(lines(2)) });
    expect([records, ids]).toMatchObject([{ added: 2, same: 0 }, [2, 1]]);
  });

  it('is not read if its content is the same, whatever its name', async () => {
    const text = lines(1, 2, 3);
    const { records, ids } = await imported({
      'a.ndjson': text,
      'a.ndjson.gz': gzipSync(text),
      'a.ndjson.br': brotliCompressSync(text),
      'index.json': lines(4),
      'index.json.gz': gzipSync(lines(4)),
    });
    expect([records, ids]).toMatchObject([{ added: 4, same: 0 }, [4, 3, 2, 1]]);
  });

  it('is read if other data precedes the same content, as in a file to which each night is appended', async () => {
    const { records, ids } = await imported({
      'a.ndjson': lines(2),
      'a.ndjson.gz': Buffer.concat([gzipSync(lines(1)), gzipSync(lines(2))]),
    });
    expect([records, ids]).toMatchObject([{ added: 2, same: 1 }, [2, 1]]);
  });

  it('is read if the other file is not among the sources', async () => {
    const { ids } = await imported({ 'index.json': lines(1), 'index.json.gz': gzipSync(lines(1)) }, '--include', '*.gz');
    expect(ids).toEqual([1]);
  });

  it('is an error if it is cut short', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'index.json'), lines(1));
    writeFileSync(join(folder, 'index.json.gz'), gzipSync(lines(1)).subarray(0, -9));
    const { code, stderr } = await palimpsestHere(['import', folder, '--store', join(temporaryFolder(), 'store.db')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('index.json.gz is damaged gzip data (bad-encoding)')]);
  });
});
