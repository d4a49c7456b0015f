import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DEFAULT_CACHE_CONTROL, headerLine, pageHeaders, plainHeaders } from '../../../src/publish/objects/headers.ts';

it('gives files beside the pages a fitting type and makes every reader revalidate them', () => {
  expect(plainHeaders('build.json')).toEqual({ contentType: 'application/json', cacheControl: DEFAULT_CACHE_CONTROL, contentEncoding: '' });
  expect(plainHeaders('manifest-sha256.txt').contentType).toBe('text/plain; charset=utf-8');
});

it('returns equal lines exactly for equal headers', () => {
  // values that --cache-control accepts, which contain no separator of headerLine
  const chosen = fc.record({ cacheControl: fc.stringMatching(/^[a-z=, 0-9-]{0,12}$/), gzip: fc.boolean() });
  fc.assert(
    fc.property(chosen, chosen, (a, b) => {
      const isSame = a.cacheControl === b.cacheControl && a.gzip === b.gzip;
      expect(headerLine(pageHeaders(a)) === headerLine(pageHeaders(b))).toBe(isSame);
    }),
  );
});
