import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputsOf } from '../../src/sources/inputs.ts';
import { compress, compressors, decompress } from '../../src/tree/compression.ts';
import { ENCODINGS, type Encoding, encodingsIn } from '../../src/tree/encoding.ts';
import { verify } from '../../src/verify/verify.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
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

it('reads the encodings back from the names of the compressors', () => {
  for (const encodings of [[], ['gzip'], ['brotli'], ['gzip', 'brotli']] satisfies Encoding[][]) {
    expect(encodingsIn(compressors(encodings))).toEqual(encodings);
  }
  expect(compressors(['brotli', 'gzip'])).toBe(`gzip/${process.versions.zlib} brotli/${process.versions['brotli']}`);
});

/** A store, and a function that runs the program to build its tree in a named folder. There are enough pages for two threads. */
async function workplace() {
  const folder = temporaryFolder();
  const store = join(folder, 'store.db');
  await importHistory(store, goodHistory());
  const make = (name: string, encodings: readonly Encoding[] = ENCODINGS, options: readonly string[] = []) => {
    const sizes = ['--page-size', '1', '--account-page-size', '3', '--base-url', SITE.base_url];
    const args = ['--compress', encodings.join(',') || 'none'];
    return palimpsestJson(['build', '--store', store, '--out', join(folder, name), ...sizes, ...args, ...options]);
  };
  return { store, make, at: (name: string) => join(folder, name) };
}

describe('a build with --compress', () => {
  it('writes each page in each encoding and lists the copies in the manifest', async () => {
    const { store, make, at } = await workplace();
    await make('out');
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

  it('gives, after an import, the same tree as a build into an empty folder, and keeps unchanged files', async () => {
    const { store, make, at } = await workplace();
    await make('out');
    const before = statSync(at('out/rest/account/page/3/index.json.br')).mtimeMs;
    await importHistory(store, goodHistory(61));
    const summary = await make('out');
    await make('fresh');
    expect(filesIn(at('out'))).toEqual(filesIn(at('fresh')));
    // the third page of accounts has the two accounts without records
    expect(statSync(at('out/rest/account/page/3/index.json.br')).mtimeMs).toBe(before);
    expect(Number(summary['unchanged'])).toBeGreaterThanOrEqual(3);
    expect(await make('out')).toMatchObject({ written: 0, removed: 0, unchanged: 3 * (63 + 5) });
  });

  it.each([
    ['switched on', [], ENCODINGS],
    ['switched off', ENCODINGS, []],
    ['changed', ['brotli'], ['gzip']],
  ] satisfies [string, readonly Encoding[], readonly Encoding[]][])(
    'gives the same tree as a build into an empty folder after compression was %s',
    async (_, first, second) => {
      const { make, at } = await workplace();
      await make('out', first);
      const page = statSync(at('out/rest/data/page/2/index.json')).ino;
      await make('out', second);
      await make('fresh', second);
      expect(filesIn(at('out'))).toEqual(filesIn(at('fresh')));
      expect(statSync(at('out/rest/data/page/2/index.json')).ino).toBe(page);
    },
  );

  it('keeps its encodings in a build without --compress, also after a kill', async () => {
    const { store, make, at } = await workplace();
    await make('out');
    await palimpsestJson(['build', '--store', store, '--out', at('out'), '--page-size', '2']);
    expect(filesIn(at('out')).has('rest/data/page/2/index.json.br')).toBe(true);
    writeFileSync(
      at('out/build.json'),
      '{"palimpsest":"0.1.0","state":"unfinished","base_url":"https://history.example","compress":"gzip/1"}\n',
    );
    await palimpsestJson(['build', '--store', store, '--out', at('out'), '--page-size', '2']);
    const files = filesIn(at('out'));
    expect([files.has('rest/data/page/2/index.json.gz'), files.has('rest/data/page/2/index.json.br')]).toEqual([true, false]);
  });

  it('completes the tree after a killed build', async () => {
    const { make, at } = await workplace();
    await make('out');
    await make('fresh', ['gzip']);
    writeFileSync(at('out/build.json'), '{"palimpsest":"0.1.0","state":"unfinished"}\n');
    writeFileSync(at('out/rest/data/page/2/index.json.gz'), 'half');
    await make('out', ['gzip']);
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

  it.each([
    ['damaged', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('x')]), 'file-digest'],
    ['emptied', () => Buffer.alloc(0), 'file-digest'],
  ] satisfies [string, (bytes: Buffer) => Buffer, string][])(
    'repairs a variant that was %s, and verify reports it before',
    async (_, damage, rule) => {
      const { make, at } = await workplace();
      await make('out');
      const whole = filesIn(at('out'));
      for (const path of ['rest/data/page/2/index.json.gz', 'rest/account/page/last/index.json.br']) {
        writeFileSync(join(at('out'), path), damage(whole.get(path) ?? Buffer.alloc(0)));
        const rules = (await verify({ out: at('out') })).violations.filter((violation) => violation.path === path);
        expect(rules.map((violation) => violation.rule)).toContain(rule);
      }
      await make('out', ENCODINGS, ['--repair']);
      expect(filesIn(at('out'))).toEqual(whole);
    },
  );

  it('is reported by verify if a variant has the contents of another page', async () => {
    const { make, at } = await workplace();
    await make('out');
    const path = 'rest/data/page/2/index.json.gz';
    const [other, mine] = ['rest/data/page/3/index.json.gz', path].map((name) => readFileSync(join(at('out'), name)));
    writeFileSync(join(at('out'), path), other ?? '');
    expect(other?.equals(mine ?? Buffer.alloc(0))).toBe(false);
    expect((await verify({ out: at('out') })).violations.map((violation) => [violation.rule, violation.path])).toContainEqual([
      'duplicate-mismatch',
      path,
    ]);
  });

  it('gives a tree from which import reads only the uncompressed pages', async () => {
    const { make, at } = await workplace();
    await make('out');
    async function* nothing() {}
    const names = inputsOf([at('out')], nothing()).map(({ name }) => name);
    expect(names.length).toBe(67);
    expect(names.filter((name) => !name.endsWith('index.json'))).toEqual([]);
  });
});

it('rejects an unknown encoding', async () => {
  const args = ['build', '--base-url', 'https://example.org', '--store', join(temporaryFolder(), 'none.db')];
  const { code, stderr } = await palimpsestHere([...args, '--compress', 'gzip,zstd']);
  expect([code, stderr.split('\n').slice(0, 4)]).toEqual([
    2,
    [
      "error: option '--compress <encodings>' argument 'gzip,zstd' is invalid (usage)",
      '  where     --compress',
      '  expected  gzip, brotli, gzip,brotli or none',
      '  found     gzip,zstd',
    ],
  ]);
});
