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
  it.each([
    ['--no-warc-compression', 'night.warc'],
    ['--warc-cdx', 'night.warc.gz'],
  ])('imports completely, with %s', async (option, name) => {
    const folder = temporaryFolder();
    const [store, ndjson] = [join(folder, 'store.db'), join(folder, 'store.ndjson')];
    const history = goodHistory(320);
    writeFileSync(ndjson, toNdjson(history).join('\n'));
    await palimpsestJson(['import', ndjson, '--store', store]);
    const service = await startService(ndjson, join(folder, 'live.sqlite3'), { page_size: 50, account_page_size: 10 });
    const address = (target: string) => service.baseUrl + target;
    const pages = (collection: string, last: number) =>
      Array.from({ length: last }, (_, index) => address(`/rest/${collection}/${index === 0 ? '' : `?page=${index + 1}`}`));
    const feed = pages('data', Math.ceil(history.records.length / 50));
    const accounts = pages('account', Math.ceil(history.accounts.length / 10));
    // also addresses that fail, and one that is requested twice
    const urls = [...feed, address('/rest/data/?page=99'), address('/elsewhere'), ...accounts, address('/rest/data/')];
    const { status, stderr } = spawnSync(
      'wget',
      [
        '--no-config',
        '--header=Accept: application/json',
        `--warc-file=${join(folder, 'night')}`,
        option,
        '--output-document=/dev/null',
        ...urls,
      ],
      { cwd: folder, encoding: 'utf8', timeout: 60_000 },
    );
    // 8: the server sent an error
    expect(status, stderr).toBe(8);
    const copy = join(folder, 'copy.db');
    const { archives } = await palimpsestJson(['import', join(folder, name), '--store', copy, '--require-complete']);
    expect(archives).toMatchObject([
      { pages: feed.length + accounts.length, repeated: 1, missing: [{ url: address('/rest/data/?page=99'), reason: 'status 404' }] },
    ]);
    expect(fingerprint(copy)).toBe(fingerprint(store));
  });
});
