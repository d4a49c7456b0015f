import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { mkdirp } from '../../../src/contract/files/mkdirp.ts';
import { parseEnvelope } from '../../../src/contract/pages/envelope.ts';
import { encodeState, parseState, STATE, sizeOf } from '../../../src/publish/state/state.ts';
import { resolve } from '../../../src/rewrite/resolve.ts';
import { openTarget } from '../../../src/storage/open-target.ts';
import { parseBuildRecord } from '../../../src/tree/build-record.ts';
import { folderOfFile } from '../../whole/stores.ts';
import { BASE_URL, differences } from '../../whole/trees.ts';
import { Growing, publishedIn, publishJson } from '../growing.ts';
import { changed, publishHere } from '../in-process.ts';
import { publishBefore, SlowReaders } from '../slow-readers.ts';

const folder = folderOfFile();
const COMPRESSED = ['--compress', 'gzip'];

/** Returns the uncompressed file of a page's `next` link; undefined for the last page. */
function nextOf(bytes: Buffer): string | undefined {
  const { next } = parseEnvelope(JSON.parse(bytes.toString()));
  if (next === null) return undefined;
  const [below = '', query = ''] = next.slice(BASE_URL.length).split('?');
  return resolve('GET', below, query).file;
}

it('publishes no page that links to a page with a missing file, after a kill between the files of a new page', async () => {
  const history = await Growing.of(folder, 'far', { records: 300, accounts: 30 }, COMPRESSED);
  const site = join(folder, 'site');
  const target = await openTarget(site, '', { connections: 32, secrets: {} });
  await publishHere(target, history.out);

  // the state after a kill when the run had sent only the first file of its first page
  await history.grow(60);
  const page = 'rest/data/page/36/index.json';
  mkdirp(dirname(join(site, page)));
  copyFileSync(join(history.out, page), join(site, page));
  const killed = parseBuildRecord(readFileSync(join(history.out, 'build.json')));
  const state = parseState(readFileSync(join(site, STATE)));
  if (typeof killed === 'string') throw new Error('there is no tree');
  writeFileSync(join(site, STATE), encodeState({ ...state, state: 'publishing', trees: [...state.trees, sizeOf(killed)] }));

  await history.grow(3);
  const broken: string[] = [];
  const watched = changed(target, {
    put: async (path, upload, ...rest) => {
      const tag = await target.put(path, upload, ...rest);
      // from a page that readers know, they reach all later pages, through any of their files
      if (path.startsWith('rest/data/page/30/')) {
        for (let file = nextOf(readFileSync(join(site, 'rest/data/page/30/index.json'))); file !== undefined; ) {
          const plain = join(site, file);
          for (const suffix of ['', '.gz']) if (!existsSync(plain + suffix)) broken.push(`${path}: ${file}${suffix}`);
          file = existsSync(plain) ? nextOf(readFileSync(plain)) : undefined;
        }
      }
      return tag;
    },
  });
  const summary = await publishHere(watched, history.out);
  expect(summary.wasInterrupted).toBe(true);
  expect(summary.done.overlaps).toBeGreaterThan(30);
  expect(broken).toEqual([]);
  expect(differences(publishedIn(site), history.files())).toEqual([]);
});

it.each([
  ['uncompressed', []],
  ['compressed', COMPRESSED],
])('lets no reader of %s pages miss a record, through nights of which some are interrupted', async (name, options) => {
  const history = await Growing.of(folder, name, { records: 100, accounts: 10 }, options);
  const site = join(folder, `${name} site`);
  await publishJson(['publish', site, '--out', history.out]);
  const readers = new SlowReaders(site, options.length > 0);
  // records move by less than a page, by a page, and by many
  for (const [records, stopsAt] of [
    [3, undefined],
    [10, 8],
    [1, undefined],
    [60, 12],
    [7, undefined],
  ] as const) {
    await history.grow(records);
    const stop = new AbortController();
    let sent = 0;
    const onProgress = (phase: string) => {
      sent += Number(phase === 'send');
      if (sent === stopsAt) stop.abort();
    };
    const published = publishBefore(readers, site, history.out, { signal: stop.signal, onProgress });
    if (stopsAt === undefined) await published;
    else await expect(published).rejects.toMatchObject({ code: 'stopped' });
  }
  expect(readers.missed()).toEqual([]);
  expect(differences(publishedIn(site), history.files())).toEqual([]);
});

it('lets no reader of compressed pages miss a record while the compressed files are deleted', async () => {
  const history = await Growing.of(folder, 'plain again', { records: 100, accounts: 10 }, COMPRESSED);
  const site = join(folder, 'plain again-site');
  await publishJson(['publish', site, '--out', history.out]);
  await history.rebuild(['--compress', 'none']);
  await history.grow(13);
  const readers = new SlowReaders(site, true);
  const { done } = await publishBefore(readers, site, history.out);
  expect(done.deletes).toBeGreaterThan(10);
  expect(readers.missed()).toEqual([]);
});
