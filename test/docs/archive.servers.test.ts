import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { drf, startService } from '../drf/live-service.ts';
import { temporaryFolder } from '../support/folder.ts';
import { toNdjson } from '../support/histories.ts';
import { BIN, palimpsestJson } from '../support/palimpsest.ts';
import { requirement } from '../support/requirement.ts';
import { shell } from '../support/shell.ts';
import { goodHistory } from '../verify/good-tree.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const document = readFileSync(join(ROOT, 'docs/archive.md'), 'utf8');
const unzip = requirement('unzip', () => spawnSync('unzip', ['-v']).status === 0);

/** The indented commands of a section. */
function commandsOf(heading: string): string[] {
  const [, section = ''] = document.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^ {4}(.*)$/gm)].map((match) => match[1] ?? '');
}

describe.skipIf(unzip.skip)(`docs/archive.md ${unzip.reason}`, () => {
  it('has commands that make a WACZ and check it', async () => {
    const folder = temporaryFolder();
    // no service answers at the address of the example
    const making = commandsOf('From an address to a WACZ').map((line) =>
      line.replace(/^palimpsest mirror .*/, `palimpsest import ${ROOT}data/sample`),
    );
    const script = [...making, ...commandsOf('Check it')].join('\n').replaceAll(/^palimpsest/gm, `"${process.execPath}" "${BIN}"`);
    const { status, stdout, stderr } = await shell(script, folder);
    expect([status, stderr]).toEqual([0, '']);
    const sums = [...stdout.matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)].map((match) => [match[2], match[1]] as const);
    expect(sums.map(([path]) => path)).toEqual([
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
      expect(sums).toContainEqual([`history/${path}`, hash.slice('sha256:'.length)]);
    expect(sums[5]?.[1]).toBe(sums[4]?.[1]);
  });

  it.skipIf(drf.skip)(`leads from the address of a live service to a WACZ that anyone can check ${drf.reason}`, async () => {
    const folder = temporaryFolder();
    const ndjson = join(folder, 'history.ndjson');
    writeFileSync(ndjson, toNdjson(goodHistory(60)).join('\n'));
    const service = await startService(ndjson, join(folder, 'live.sqlite3'), { page_size: 20, account_page_size: 10 });
    const script = [...commandsOf('From an address to a WACZ'), ...commandsOf('Check it')]
      .join('\n')
      .replaceAll(/^palimpsest/gm, `"${process.execPath}" "${BIN}"`)
      .replaceAll('https://history.example.org', service.baseUrl);
    const { status, stdout, stderr } = await shell(script, folder, { PALIMPSEST_DELAY: '0ms' });
    expect([status, stderr]).toEqual([0, '']);
    const sums = [...stdout.matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)].map((match) => match[1]);
    expect(sums).toHaveLength(6);
    expect(sums[5]).toBe(sums[4]);
    // the WARC of the mirror has the same history
    const again = await palimpsestJson(['import', 'exchanges.warc.gz', '--store', 'copy.db'], { cwd: folder });
    expect(again).toMatchObject({ records: { added: 0, replaced: 0 }, archives: [{ missing: [] }] });
  });

  it('has commands for the bag that work', async () => {
    const folder = temporaryFolder();
    const [check = ''] = commandsOf('The bag').filter((line) => line.startsWith('(cd '));
    const run = (line: string) => line.replaceAll('palimpsest ', `"${process.execPath}" "${BIN}" `);
    const script = [
      run(`palimpsest import ${ROOT}data/sample`),
      run('palimpsest build --base-url https://history.example.org'),
      run('palimpsest archive bag --to history-bag'),
      check,
      run('palimpsest verify --out history-bag/data'),
      run('palimpsest import history-bag --store copy.db --require-complete'),
    ].join('\n');
    const { status, stderr } = await shell(script, folder);
    expect([status, stderr]).toEqual([0, '']);
  });
});
