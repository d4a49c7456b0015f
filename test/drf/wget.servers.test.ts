import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../mirror/mirrored.ts';
import { temporaryFolder } from '../support/folder.ts';
import { toNdjson } from '../support/histories.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { requirement } from '../support/requirement.ts';
import { goodHistory } from '../verify/good-tree.ts';
import { drf, startService } from './live-service.ts';

const wget = requirement('wget', () => spawnSync('wget', ['--version']).status === 0);

describe.skipIf(drf.skip || wget.skip)(`a WARC that wget made of a live service ${drf.reason}${wget.reason}`, () => {
  it('imports completely, compressed or not', async () => {
    const folder = temporaryFolder();
    const [store, ndjson] = [join(folder, 'store.db'), join(folder, 'store.ndjson')];
    writeFileSync(ndjson, toNdjson(goodHistory(120)).join('\n'));
    await palimpsestJson(['import', ndjson, '--store', store]);
    const { baseUrl } = await startService(ndjson, join(folder, 'live.sqlite3'), { page_size: 50, account_page_size: 5 });
    // 120 records and 8 accounts; also addresses that fail, and one that is requested twice
    const feed = ['/rest/data/', '/rest/data/?page=2', '/rest/data/?page=3'];
    const targets = [...feed, '/rest/data/?page=99', '/elsewhere', '/rest/account/', '/rest/account/?page=2', '/rest/data/'];
    const args = [
      '--no-config',
      '--header=Accept: application/json',
      `--warc-file=${join(folder, 'night')}`,
      '--output-document=/dev/null',
    ];
    for (const [option, name] of [
      ['--no-warc-compression', 'night.warc'],
      ['--warc-cdx', 'night.warc.gz'],
    ] as const) {
      const { status, stderr } = spawnSync('wget', [...args, option, ...targets.map((target) => baseUrl + target)], {
        encoding: 'utf8',
        cwd: folder,
      });
      // 8: the server sent an error
      expect(status, stderr).toBe(8);
      const copy = join(folder, `${name}.db`);
      const { archives } = await palimpsestJson(['import', join(folder, name), '--store', copy, '--require-complete']);
      expect(archives).toMatchObject([
        { pages: 5, repeated: 1, missing: { count: 1, listed: [{ url: `${baseUrl}/rest/data/?page=99`, reason: 'status 404' }] } },
      ]);
      expect(fingerprint(copy)).toBe(fingerprint(store));
    }
  });
});
