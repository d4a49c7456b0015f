import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { drf, startService } from '../drf/live-service.ts';
import { temporaryFolder } from '../support/folder.ts';
import { toNdjson } from '../support/histories.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { requirement } from '../support/requirement.ts';
import { shell } from '../support/shell.ts';
import { goodHistory } from '../verify/good-tree.ts';
import { section } from './blocks.ts';
import { machine } from './machine.ts';

const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url));
const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
const unzip = requirement('unzip', () => spawnSync('unzip', ['-v']).status === 0);

/** All commands of the page for archivists. */
const MAKE = [...read('archivist.md').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code).join('');
/** The indented lines of the section about bags. */
const BAG = [...section(read('archive.md'), 'The bag').matchAll(/^ {4}(.*)$/gm)].map(([, line = '']) => line);

/** Runs commands, and returns the SHA-256 sums that they print, by path. */
async function run(commands: string, cwd: string, env = {}): Promise<ReadonlyMap<string, string>> {
  const { status, stdout, stderr } = await shell(commands, cwd, { ...env, PATH: machine(cwd) });
  expect([status, stderr]).toEqual([0, '']);
  return new Map([...stdout.matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)].map(([, sum = '', path = '']) => [path, sum]));
}

describe.skipIf(unzip.skip)(`the pages about archives ${unzip.reason}`, () => {
  it.skipIf(drf.skip)(
    `docs/archivist.md has commands that lead from the address of a live service to a WACZ that anyone can check and restore ${drf.reason}`,
    async () => {
      const folder = temporaryFolder();
      const ndjson = join(folder, 'history.ndjson');
      writeFileSync(ndjson, toNdjson(goodHistory(60)).join('\n'));
      const service = await startService(ndjson, join(folder, 'live.sqlite3'), { page_size: 20, account_page_size: 10 });
      const sums = await run(MAKE.replaceAll('https://history.example.org', service.baseUrl), folder, { PALIMPSEST_DELAY: '0ms' });
      expect([...sums.keys()]).toEqual([
        'history/datapackage.json',
        'history/archive/data.warc.gz',
        'history/indexes/index.cdx',
        'history/pages/pages.jsonl',
        'out/manifest-sha256.txt',
        'copy/manifest-sha256.txt',
      ]);
      const json = (path: string) => JSON.parse(readFileSync(join(folder, 'history', path), 'utf8'));
      const { path: main, hash: digest } = json('datapackage-digest.json');
      for (const { path, hash } of [{ path: main, hash: digest }, ...json('datapackage.json').resources])
        expect(`sha256:${sums.get(`history/${path}`)}`).toBe(hash);
      expect(sums.get('copy/manifest-sha256.txt')).toBe(sums.get('out/manifest-sha256.txt'));
      // the WARC of the mirror and the export have the same history
      const again = await palimpsestJson(['import', 'exchanges.warc.gz', '--store', 'copy.db'], { cwd: folder });
      expect(again).toMatchObject({ records_by_outcome: { added: 0, replaced: 0 }, archives: [{ missing: { listed: [] } }] });
      const exported = await palimpsestJson(['import', 'history.ndjson', '--store', 'copy.db'], { cwd: folder });
      expect(exported).toMatchObject({ records_by_outcome: { added: 0, replaced: 0 }, accounts_by_outcome: { added: 0 } });
    },
  );

  it('docs/archive.md has a command that checks a bag', async () => {
    const commands = [
      `palimpsest import ${SAMPLE}`,
      'palimpsest build --base-url https://history.example.org',
      'palimpsest archive bag --to history-bag',
      ...BAG.filter((line) => line.startsWith('(cd ')),
      'palimpsest verify --out history-bag/data',
      'palimpsest import history-bag --store copy.db --require-complete',
    ];
    await run(commands.join('\n'), temporaryFolder());
  });
});
