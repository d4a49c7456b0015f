import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputsOf } from '../../src/sources/inputs/inputs.ts';
import { build } from '../../src/tree/build/build.ts';
import { compress, decompress, ENCODINGS, type Encoding } from '../../src/tree/encoding.ts';
import { verify } from '../../src/verify/verify.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { goodHistory, importHistory, SITE } from '../verify/good-tree.ts';

describe.each(ENCODINGS)('compression with %s', (encoding) => {
  it('restores any bytes and gives the same output for the same input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
        const packed = compress(bytes, encoding);
        expect(decompress(packed, encoding, bytes.length).equals(bytes)).toBe(true);
        expect(compress(Buffer.from(bytes), encoding).equals(packed)).toBe(true);
      }),
    );
  });

  it('rejects data that decompresses to more than the limit', () => {
    expect(() => decompress(compress(Buffer.alloc(100_000), encoding), encoding, 1000)).toThrow();
  });
});

it('writes gzip headers without a time or an operating system', () => {
  expect([...compress(Buffer.from('page'), 'gzip').subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
});

/** A store, and a function that builds its tree in a named folder. */
async function workplace() {
  const folder = temporaryFolder();
  const store = join(folder, 'store.db');
  await importHistory(store, goodHistory());
  const at = (name: string) => join(folder, name);
  const make = (name: string, compress: readonly Encoding[] | undefined = ENCODINGS, repair = false) =>
    build(store, { out: at(name), site: SITE, compress, repair });
  return { store, make, at };
}

describe('a build with --compress', () => {
  it('writes each page in each encoding and lists the copies in the manifest', async () => {
    const { store, at } = await workplace();
    // so many pages that two threads write them
    await build(store, { out: at('out'), site: { ...SITE, page_size: 1 }, compress: ENCODINGS });
    const files = filesIn(at('out'));
    const pages = [...files.keys()].filter((path) => path.endsWith('index.json'));
    expect(pages.length).toBe(62 + 5);
    for (const page of pages) {
      const bytes = files.get(page);
      expect(gunzipSync(files.get(`${page}.gz`) ?? '')).toEqual(bytes);
      expect(brotliDecompressSync(files.get(`${page}.br`) ?? '')).toEqual(bytes);
    }
    expect(files.size).toBe(3 * pages.length + 3);
    expect(spawnSync('sha256sum', ['-c', '--quiet', 'manifest-sha256.txt'], { cwd: at('out') }).status).toBe(0);
    expect(files.get('manifest-sha256.txt')?.toString().split('\n').length).toBe(3 * pages.length + 2);
    expect((await verify({ out: at('out'), store })).violations).toEqual([]);
  });

  it.each<[string, readonly Encoding[], readonly Encoding[]]>([
    ['switched on', [], ENCODINGS],
    ['switched off', ENCODINGS, []],
    ['changed', ['brotli'], ['gzip']],
  ])('gives the same tree as a build into an empty folder after compression was %s', async (_, first, second) => {
    const { make, at } = await workplace();
    await make('out', first);
    const page = statSync(at('out/rest/data/page/2/index.json')).ino;
    await make('out', second);
    await make('fresh', second);
    expect(filesIn(at('out'))).toEqual(filesIn(at('fresh')));
    expect(statSync(at('out/rest/data/page/2/index.json')).ino).toBe(page);
  });

  it('keeps its encodings in a build without --compress, and completes the tree of a killed build with its own', async () => {
    const { store, make, at } = await workplace();
    await make('out');
    await palimpsestJson(['build', '--store', store, '--out', at('out'), '--page-size', '2']);
    expect(filesIn(at('out')).has('rest/data/page/2/index.json.br')).toBe(true);
    const record = { palimpsest: '0.1.0', state: 'unfinished', base_url: SITE.base_url, compress: 'gzip/1' };
    writeFileSync(at('out/build.json'), `${JSON.stringify(record)}\n`);
    writeFileSync(at('out/rest/data/page/2/index.json.gz'), 'half');
    await palimpsestJson(['build', '--store', store, '--out', at('out'), '--page-size', '7', '--account-page-size', '3', '--replace-tree']);
    await make('fresh', ['gzip']);
    expect(filesIn(at('out'))).toEqual(filesIn(at('fresh')));
  });

  it('compresses all pages again if the release of a compressor changes', async () => {
    const { make, at } = await workplace();
    await make('out');
    const record = readFileSync(at('out/build.json'), 'utf8');
    writeFileSync(at('out/build.json'), record.replace(/gzip\/[^ ]+/, 'gzip/0.0.1'));
    const inode = statSync(at('out/rest/data/index.json.gz')).ino;
    await make('out');
    expect(readFileSync(at('out/build.json'), 'utf8')).toBe(record);
    // here the new bytes are the same: the build does not write them again
    expect(statSync(at('out/rest/data/index.json.gz')).ino).toBe(inode);
  });

  it('gives a tree from which import reads only the uncompressed pages', async () => {
    const { make, at } = await workplace();
    await make('out');
    async function* nothing() {}
    const names = inputsOf([at('out')], nothing())
      .filter(({ copyOf }) => copyOf === undefined)
      .map(({ name }) => name);
    expect(names.length).toBe(9 + 2 + 3 + 2);
    expect(names.filter((name) => !name.endsWith('index.json'))).toEqual([]);
  });
});
