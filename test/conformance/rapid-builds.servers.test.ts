import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder as folderTarget } from '../../src/storage/targets/folder.ts';
import { build } from '../../src/tree/build.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { numbered } from '../support/same-size.ts';
import { importHistory, SITE } from '../verify/good-tree.ts';
import type { Subject } from './subject.ts';
import { apache } from './subjects/apache.ts';
import { caddy } from './subjects/caddy.ts';
import { lighttpd } from './subjects/lighttpd.ts';
import { nginx } from './subjects/nginx.ts';
import { nginxNjs } from './subjects/nginx-njs.ts';

/** Hosts that make ETags from the size and time of a file. */
const HOSTS: readonly Subject[] = [nginx, nginxNjs, apache, caddy, lighttpd];
const BUILDS = 12;
const PATH = '/api/rest/data/?page=1';

/** Copies a tree to the folder from which the host reads it. */
type Deploy = (tree: string, served: string) => Promise<void>;

/** Copies all files as `publish` to a folder does. It does not matter here which files changed. */
const copied: Deploy = async (tree, served) => {
  const target = await folderTarget.open({ container: served, prefix: '', name: served }, { connections: 1, secrets: {} });
  const headers = { contentType: '', cacheControl: '', contentEncoding: '' };
  for (const [path, bytes] of filesIn(tree)) await target.put(path, { bytes, headers, digest: '' }, new AbortController().signal);
};

describe.each(HOSTS.map((subject) => [subject.host.name, subject] as const))('%s', (_, subject) => {
  test.skipIf(subject.needs.skip).each<[string, Deploy | undefined]>([
    ['the folder of the tree', undefined],
    ['a folder that it is published to', copied],
  ])('sends no stale 304 after builds in quick succession, from %s', async (_, deploy) => {
    const folder = temporaryFolder();
    const [store, out, served] = [join(folder, 'store.db'), join(folder, 'out'), join(folder, 'served')];
    const tree = deploy === undefined ? out : served;
    for (const name of ['work', 'served']) mkdirSync(join(folder, name));
    const rebuild = async (number: number) => {
      await importHistory(store, numbered(number));
      await build(store, { out, site: SITE, compress: ['gzip', 'brotli'] });
      await deploy?.(out, served);
    };
    await rebuild(0);
    const files = join(folder, 'files');
    await palimpsestJson(['rewrite', subject.host.name, '--out', tree, '--host-files', files]);
    const host = await subject.start({ files, tree, work: join(folder, 'work'), base: '/api' });
    try {
      const known = new Map<string, string>();
      const sizes = new Set<number>();
      for (let number = 0; number < BUILDS; number += 1) {
        if (number > 0) await rebuild(number);
        for (const encoding of ['identity', 'gzip']) {
          const etag = known.get(encoding) ?? '"none"';
          const answer = await host.ask(PATH, 'GET', { 'Accept-Encoding': encoding, 'If-None-Match': etag });
          expect(answer.status, `build ${number}, ${encoding}, asked with ${etag}`).toBe(200);
          if (encoding === 'identity') {
            expect(answer.body.toString()).toContain(String(number).padStart(6, '0'));
            sizes.add(answer.body.length);
          }
          known.set(encoding, answer.headers.etag ?? '');
        }
      }
      expect(sizes.size, 'all pages have the same size').toBe(1);
      const again = await host.ask(PATH, 'GET', { 'Accept-Encoding': 'identity', 'If-None-Match': known.get('identity') ?? '' });
      expect(again.status, 'the same page').toBe(304);
    } finally {
      await host.stop();
    }
  });
});
