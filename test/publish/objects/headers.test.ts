import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CACHE_CONTROL } from '../../../src/contract/site.ts';
import { compressedPage, decompressedPage, encoded, fileHeaders, headerLine, plainUpload } from '../../../src/publish/objects/headers.ts';
import { COLLECTION_HEADERS } from '../../../src/rewrite/resolve.ts';
import { CODINGS, ENCODINGS, type Encoding, SUFFIXES } from '../../../src/tree/encoding.ts';

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const choice = fc.record({ cacheControl: fc.string(), gzip: fc.boolean() });
const variant = fc.constantFrom(undefined, ...ENCODINGS);
const pathOf = (form?: Encoding) => `rest/data/index.json${form === undefined ? '' : SUFFIXES[form]}`;

describe('a page', () => {
  it('has the Cache-Control header with which hosts send it', () => {
    expect(DEFAULT_CACHE_CONTROL).toBe(COLLECTION_HEADERS['Cache-Control']);
  });

  it('is restored from its stored bytes according to its headers, or its name if no headers are stored', () => {
    fc.assert(
      fc.property(bytes, choice, variant, (page, chosen, form) => {
        const path = pathOf(form);
        const headers = fileHeaders(chosen, path);
        const kept = encoded(compressedPage(page, path), headers, path);
        const fetched = { bytes: kept, tag: 'tag' };
        expect(decompressedPage('any name', { ...fetched, contentEncoding: headers.contentEncoding })).toEqual(page);
        // a store without headers never gets a compressed page under its plain name
        if (!chosen.gzip) expect(decompressedPage(path, { ...fetched, contentEncoding: '' })).toEqual(page);
      }),
    );
  });

  it('is decompressed whatever the letter case of its Content-Encoding', () => {
    const page = Buffer.from('{"count":0}');
    for (const form of ENCODINGS) {
      const contentEncoding = CODINGS[form].toUpperCase();
      expect(decompressedPage('any name', { bytes: compressedPage(page, pathOf(form)), tag: 'tag', contentEncoding })).toEqual(page);
    }
  });

  it('is compressed once, with the encoding in its headers', () => {
    const page = Buffer.from('{"count":0}'.repeat(20));
    const choice = { cacheControl: DEFAULT_CACHE_CONTROL, gzip: true };
    const gzip = fileHeaders(choice, pathOf());
    expect(gzip).toEqual({ contentType: 'application/json', cacheControl: DEFAULT_CACHE_CONTROL, contentEncoding: 'gzip' });
    expect(gunzipSync(encoded(page, gzip, pathOf()))).toEqual(page);
    // a file that the build compressed is sent unchanged
    const brotli = fileHeaders(choice, pathOf('brotli'));
    expect(brotli.contentEncoding).toBe('br');
    expect(brotliDecompressSync(encoded(compressedPage(page, pathOf('brotli')), brotli, pathOf('brotli')))).toEqual(page);
    const file = compressedPage(page, pathOf('gzip'));
    expect(encoded(file, fileHeaders(choice, pathOf('gzip')), pathOf('gzip'))).toBe(file);
    const plain = fileHeaders({ cacheControl: 'no-store', gzip: false }, pathOf());
    expect(plain).toEqual({ contentType: 'application/json', cacheControl: 'no-store', contentEncoding: '' });
    expect(encoded(page, plain, pathOf())).toBe(page);
  });
});

it('gives files beside the pages a fitting type and makes every reader revalidate them', () => {
  const headersOf = (path: string) => plainUpload(path, Buffer.of()).headers;
  expect(headersOf('build.json')).toEqual({ contentType: 'application/json', cacheControl: DEFAULT_CACHE_CONTROL, contentEncoding: '' });
  expect(headersOf('manifest-sha256.txt').contentType).toBe('text/plain; charset=utf-8');
});

it('returns equal lines exactly for equal headers', () => {
  // values that --cache-control accepts, which contain no separator of headerLine
  const chosen = fc.record({ cacheControl: fc.stringMatching(/^[a-z=, 0-9-]{0,12}$/), gzip: fc.boolean() });
  fc.assert(
    fc.property(chosen, chosen, (a, b) => {
      const isSame = a.cacheControl === b.cacheControl && a.gzip === b.gzip;
      expect(headerLine(fileHeaders(a, pathOf())) === headerLine(fileHeaders(b, pathOf()))).toBe(isSame);
    }),
  );
});
