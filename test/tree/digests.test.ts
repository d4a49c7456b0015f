import { renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagePath, pathsOfPages } from '../../src/tree/layout.ts';
import { Digests } from '../../src/tree/manifest/digests.ts';
import { listFiles } from '../../src/tree/manifest/listing.ts';
import { temporaryFolder } from '../support/folder.ts';

const LAYOUT = { pages: { data: 20_000, account: 40 }, encodings: ['gzip'] } as const;
const digestOf = (place: number) => String(place).padStart(64, '0');

describe('the digests of a tree', () => {
  it('are those of its manifest, in any order of the paths, except for those that were set', () => {
    const paths = [...pathsOfPages(LAYOUT)];
    const manifest = paths.map((path, place) => `${digestOf(place)}  ${path}\n`).join('');
    const digests = new Digests(LAYOUT, listFiles(Buffer.from(manifest)));
    const places = [...paths.keys()].toSorted((a, b) => ((a * 7919) % 40_091) - ((b * 7919) % 40_091));
    for (const place of places.slice(0, 3000)) expect(digests.get(paths[place] ?? '')).toBe(digestOf(place));
    digests.set(pagePath('data', 7), 'other');
    digests.set(pagePath('data', 8), undefined);
    digests.set(pagePath('data', 9), digests.get(pagePath('data', 9)));
    expect([...digests.others]).toEqual([
      [pagePath('data', 7), 'other'],
      [pagePath('data', 8), undefined],
    ]);
    expect([pagePath('data', 7), pagePath('data', 8), pagePath('data', 30_000)].map((path) => digests.get(path))).toEqual([
      'other',
      undefined,
      undefined,
    ]);
  });

  it.each(['a build has replaced the manifest', 'the manifest was touched'])('are not read after %s', (event) => {
    const path = join(temporaryFolder(), 'manifest');
    const line = (digest: string) => `${digest}  ${pagePath('data', 1)}\n${digest}  ${pagePath('data', 50)}\n`;
    writeFileSync(path, line(digestOf(1)));
    const digests = new Digests(LAYOUT, listFiles(path));
    expect(digests.get(pagePath('data', 1))).toBe(digestOf(1));
    if (event.startsWith('a build')) {
      writeFileSync(`${path}.new`, line(digestOf(2)));
      renameSync(`${path}.new`, path);
    } else utimesSync(path, 1, 1);
    // without its digest, a file would count as gone
    const replaced = expect.objectContaining({ code: 'tree-edited' });
    expect(() => digests.get(pagePath('data', 50))).toThrow(replaced);
    expect(() => listFiles(path, () => 'all', digests.listing.version)).toThrow(replaced);
  });

  it('are read up to the end of a manifest without a last newline', () => {
    const manifest = Buffer.from(`${digestOf(1)}  ${pagePath('data', 1)}`);
    expect(new Digests(LAYOUT, listFiles(manifest)).get(pagePath('data', 1))).toBe(digestOf(1));
  });
});
