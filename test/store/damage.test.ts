import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { importInputs } from '../../src/import/import.ts';
import { filesIn } from '../support/folder.ts';
import { times } from '../support/proof.ts';
import { observe, type Snapshot, sourceOf } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';
import { command, Damage } from './damaged-store.ts';

/** The number of damaged stores. Every seed damages another byte. */
const DAMAGES = times('damaged stores', 12, 230);
const SITE = ['--base-url', 'https://example.org', '--page-size', '5', '--account-page-size', '3'];
/** The codes of a refused store. Damage to the version number makes a store look like that of another release. */
const EXPECTED_CODES = ['bad-store', 'store-newer', 'store-older'];

const folder = folderOfFile();
const intact = join(folder, 'intact.db');
const tree = join(folder, 'tree');
let files: Map<string, Buffer>;
let exported: string[];
let history: string;

const at = (minute: number) => new Date(Date.UTC(2020, 0, 1, 0, minute)).toISOString();

/** Snapshots of accounts that change their handles and fields, and take each other's handles. */
function snapshots(): Snapshot[] {
  return Array.from({ length: 90 }, (_, index) => ({
    observed_at: at(index),
    id: String(index % 9),
    screen_name: `user_${(index % 9) + (index > 50 && index % 9 < 3 ? 1 : 0)}`,
    bio: `bio ${index % 13} of some length, with a @mention and a #tag`,
    location: `place ${index % 4}`,
    display_name: `Name ${index % 5}`,
  }));
}

beforeAll(async () => {
  await observe(intact, snapshots(), { onReject: () => {} });
  const silent = { screen_name: 'silent', account_creation_date: null, profile_image_url: '', data: [], data_page_count: 0 };
  const summary = { display_name: 'S', website: null, location: '', bio: '' };
  await importInputs(
    intact,
    [
      sourceOf([
        { ...silent, ...summary },
        { ...silent, ...summary, screen_name: 'still' },
      ]),
    ],
    { onConflict: 'fail' },
  );
  expect(await command(['build', '--store', intact, '--out', tree, ...SITE])).toMatchObject({ code: 0 });
  files = filesIn(tree);
  exported = (await command(['export', 'ndjson', '--to', '-', '--store', intact])).stdout.split('\n');
  history = (await command(['history', 'user_5', '--store', intact])).stdout;
});

const NEW_RECORD = JSON.stringify({
  id: 7,
  account: 'somebody',
  data_type: 'Bio',
  previous: null,
  text: 'new',
  first_encountered_date: '2019-01-01T00:00:00Z',
  diff_html: '<ins style="background:#e6ffe6;">new</ins>',
  web_archive_url: null,
});
const NEW_SNAPSHOT = JSON.stringify({ observed_at: at(1000), id: '4', screen_name: 'user_4', bio: 'the newest' });

/** Runs every command that reads a store, each on its own copy. */
async function runAll(damage: Damage, work: string) {
  const out = join(work, 'out');
  return {
    build: await command(['build', '--store', damage.copy(), '--out', out, ...SITE]),
    built: () => filesIn(out),
    verify: await command(['verify', '--store', damage.copy(), '--out', tree]),
    history: await command(['history', 'user_5', '--store', damage.copy()]),
    export: await command(['export', 'ndjson', '--to', '-', '--store', damage.copy()]),
    import: await command(['import', '-', '--store', damage.copy()], NEW_RECORD),
    observe: await command(['observe', '-', '--store', damage.copy()], NEW_SNAPSHOT),
    check: await command(['store', 'check', '--store', damage.copy()]),
  };
}

const records = (lines: readonly string[]) => lines.filter((line) => line.includes('"data_type"'));

describe('a store with one byte changed', () => {
  it.each(Array.from({ length: DAMAGES }, (_, index) => index + 1))(
    'is refused, or gives the same pages, history and records as the undamaged store (seed %d)',
    async (seed) => {
      const work = mkdtempSync(join(folder, 'damage-'));
      const damage = new Damage(intact, work, seed);
      const { built, ...ended } = await runAll(damage, work);
      for (const [name, { code, error, stdout, stderr }] of Object.entries(ended)) {
        const where = `${name} at byte ${damage.offset}: ${stdout.slice(0, 300)} ${stderr}`;
        expect(stderr, where).not.toContain('this is a bug in palimpsest');
        if (code === 0) continue;
        expect(code, where).toBe(1);
        // handles and observation times have no checksum: they may have changed
        const others = { history: ['no-account'], observe: ['late'] }[name] ?? [];
        const isVerdict = (name === 'verify' && stdout.includes('"violations":[')) || (name === 'check' && stdout.includes('"findings":['));
        if (!isVerdict) expect([...EXPECTED_CODES, ...others], where).toContain(error);
      }
      const where = `byte ${damage.offset}`;
      if (ended.build.code === 0) expect([...built()], where).toEqual([...files]);
      if (ended.history.code === 0) expect(ended.history.stdout, where).toBe(history);
      if (ended.export.code === 0) expect(records(ended.export.stdout.split('\n')), where).toEqual(records(exported));
      if (ended.build.code !== 0) expect(ended.check.code, `${where}: ${ended.build.stdout}`).toBe(1);
      rmSync(work, { recursive: true });
    },
    120_000,
  );
});
