import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { importInputs } from '../../src/import/import.ts';
import { bioRecord } from '../support/bio-record.ts';
import { filesIn } from '../support/folder.ts';
import { times } from '../support/proof.ts';
import { observe, type Snapshot, sourceOf } from '../support/snapshots.ts';
import { chance } from '../whole/chance.ts';
import { folderOfFile } from '../whole/stores.ts';
import { command } from './damaged-store.ts';

/** The number of damaged stores. Every seed damages another byte. */
const DAMAGES = times('damaged stores', 5, 230);
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
  const empty = { account_creation_date: null, profile_image_url: '', data: [], data_page_count: 0, display_name: 'S', website: null };
  const silent = ['silent', 'still'].map((screen_name) => ({ screen_name, ...empty, location: '', bio: '' }));
  await importInputs(intact, [sourceOf(silent)], { onConflict: 'fail' });
  expect(await command(['build', '--store', intact, '--out', tree, ...SITE])).toMatchObject({ code: 0 });
  files = filesIn(tree);
  exported = (await command(['export', 'ndjson', '--to', '-', '--store', intact])).stdout.split('\n');
  history = (await command(['history', 'user_5', '--store', intact])).stdout;
});

const NEW_RECORD = JSON.stringify(bioRecord(7, { first_encountered_date: '2019-01-01T00:00:00Z' }));
const NEW_SNAPSHOT = JSON.stringify({ observed_at: at(1000), id: '4', screen_name: 'user_4', bio: 'the newest' });

/** Returns a store with one byte changed, and the place of that byte. The seed determines both. */
function damaged(seed: number): { readonly bytes: Buffer; readonly offset: number } {
  const next = chance(seed);
  const bytes = readFileSync(intact);
  let offset = 0;
  // a zero is rarely chosen, because zeros are mostly unused space
  do offset = Math.floor(next() * bytes.length);
  while (bytes[offset] === 0 && next() < 0.9);
  bytes[offset] = (bytes[offset] ?? 0) ^ (1 + Math.floor(next() * 255));
  return { bytes, offset };
}

/** Runs every command that reads a store, each on its own copy of a damaged store. */
async function runAll(bytes: Buffer, work: string) {
  const out = join(work, 'out');
  let copies = 0;
  const copy = () => {
    copies += 1;
    const path = join(work, `damaged-${copies}.db`);
    writeFileSync(path, bytes);
    return path;
  };
  return {
    build: await command(['build', '--store', copy(), '--out', out, ...SITE]),
    built: () => filesIn(out),
    verify: await command(['verify', '--store', copy(), '--out', tree]),
    history: await command(['history', 'user_5', '--store', copy()]),
    export: await command(['export', 'ndjson', '--to', '-', '--store', copy()]),
    import: await command(['import', '-', '--store', copy()], NEW_RECORD),
    observe: await command(['observe', '-', '--store', copy()], NEW_SNAPSHOT),
    check: await command(['store', 'check', '--store', copy()]),
  };
}

const records = (lines: readonly string[]) => lines.filter((line) => line.includes('"data_type"'));

describe('a store with one byte changed', () => {
  it.each(Array.from({ length: DAMAGES }, (_, index) => index + 1))(
    'is refused, or gives the same pages, history and records as the undamaged store (seed %d)',
    async (seed) => {
      const work = mkdtempSync(join(folder, 'damage-'));
      const { bytes, offset } = damaged(seed);
      const { built, ...ended } = await runAll(bytes, work);
      for (const [name, { code, error, stdout, stderr }] of Object.entries(ended)) {
        const where = `${name} at byte ${offset}: ${stdout.slice(0, 300)} ${stderr}`;
        expect(stderr, where).not.toContain('this is a bug in palimpsest');
        if (code === 0) continue;
        expect(code, where).toBe(1);
        // handles and observation times have no checksum: they may have changed
        const others = { history: ['no-account'], observe: ['late'] }[name] ?? [];
        const isVerdict = (name === 'verify' && stdout.includes('"violations":[')) || (name === 'check' && stdout.includes('"findings":['));
        if (!isVerdict) expect([...EXPECTED_CODES, ...others], where).toContain(error);
      }
      const where = `byte ${offset}`;
      if (ended.build.code === 0) expect([...built()], where).toEqual([...files]);
      if (ended.history.code === 0) expect(ended.history.stdout, where).toBe(history);
      if (ended.export.code === 0) expect(records(ended.export.stdout.split('\n')), where).toEqual(records(exported));
      if (ended.build.code !== 0) expect(ended.check.code, `${where}: ${ended.build.stdout}`).toBe(1);
      rmSync(work, { recursive: true });
    },
  );
});
