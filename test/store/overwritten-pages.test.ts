import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { programFor } from '../../src/command-line/program.ts';
import { Terminal } from '../../src/terminal/terminal.ts';
import { bioRecord } from '../support/bio-record.ts';
import { commandsIn } from '../support/commands.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { observe } from '../support/snapshots.ts';
import { folderOfFile } from '../whole/stores.ts';

const PAGE_BYTES = 16_384;
/** The number of pages that are overwritten, one at a time. */
const PAGES = times('overwritten pages', 6, 60);
const RECORD = JSON.stringify(bioRecord(7, { first_encountered_date: '2019-01-01T00:00:00Z' }));
const SNAPSHOT = JSON.stringify({ observed_at: '2021-01-01T00:00:00Z', id: '4', screen_name: 'user_4', bio: 'the newest' });

const folder = folderOfFile();
const intact = join(folder, 'intact.db');
const tree = join(folder, 'tree');
let bytes: Buffer;

/** The arguments and the input of each command that reads a store, without `--store`. `OUT` is a new folder, `TREE` is the tree. */
const COMMANDS: Readonly<Record<string, readonly (readonly [args: readonly string[], input?: string])[]>> = {
  import: [[['-'], RECORD]],
  observe: [[['-'], SNAPSHOT]],
  mirror: [[['http://127.0.0.1:1', '--retries', '0']]],
  build: [[['--out', 'OUT/tree', '--html']]],
  verify: [[['--out', 'TREE']]],
  publish: [[['OUT/target', '--out', 'TREE']]],
  history: [[['user_5']]],
  accounts: [[[]]],
  remove: [[['user_5', '--yes']], [['nobody', '--dry-run']], [['nobody', '--allow-unknown', '--yes']]],
  exclusions: [[[]], [['user_7']], [['user_7', '--allow']]],
  'export ndjson': [[['--to', 'OUT/export.ndjson']]],
  'export csv': [[['records', '--to', 'OUT/records.csv']]],
  'export parquet': [[['records', '--to', 'OUT/records.parquet']]],
  'store check': [[[]], [['--repair']]],
  'store push': [[['OUT/backup']]],
  'store pull': [[['OUT/backup']]],
};

beforeAll(async () => {
  const snapshots = Array.from({ length: 400 }, (_, index) => ({
    observed_at: new Date(Date.UTC(2020, 0, 1, 0, index)).toISOString(),
    id: String(index % 60),
    screen_name: `user_${index % 60}`,
    bio: `bio ${index % 13} of some length, with a @mention and a #tag`,
  }));
  await observe(intact, snapshots);
  expect(await palimpsestHere(['remove', 'user_7', '--yes', '--store', intact])).toMatchObject({ code: 0 });
  const site = ['--base-url', 'https://example.org'];
  expect(await palimpsestHere(['build', '--store', intact, '--out', tree, ...site])).toMatchObject({ code: 0 });
  bytes = readFileSync(intact);
});

describe('a store with an overwritten page', () => {
  it('is given to every command that reads a store', async () => {
    const program = programFor(
      new Terminal({ stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: {}, once: () => {} }),
    );
    const names = commandsIn(program).flatMap(([name, { options }]) => (options.some(({ long }) => long === '--store') ? [name] : []));
    expect(Object.keys(COMMANDS).toSorted()).toEqual(names.toSorted());
  });

  it('gives no stack trace in any command, and an object with --json', async () => {
    const pages = bytes.length / PAGE_BYTES;
    const step = Math.max(1, Math.floor(pages / PAGES));
    for (let page = 0; page < pages; page += step) {
      const damaged = Buffer.from(bytes);
      for (let byte = page * PAGE_BYTES; byte < (page + 1) * PAGE_BYTES; byte += 1) damaged[byte] = (byte * 167 + 13) & 255;
      for (const [name, runs] of Object.entries(COMMANDS))
        for (const [args, input] of runs) await run(name, args, input ?? '', damaged, page);
    }
  });
});

async function run(name: string, args: readonly string[], input: string, damaged: Buffer, page: number): Promise<void> {
  const work = mkdtempSync(join(folder, 'run-'));
  const store = join(work, 'store.db');
  writeFileSync(store, damaged);
  mkdirSync(join(work, 'backup'));
  const words = [...name.split(' '), ...args.map((word) => word.replace('OUT', work).replace('TREE', tree)), '--store', store, '--json'];
  const { stdout, stderr } = await palimpsestHere(words, { input });
  const where = `${words.join(' ')}, page ${page}: ${stderr}`;
  expect(stderr, where).not.toContain('this is a bug in palimpsest');
  // after a list that is cut off stands the error
  const text = /\{"error":\{"code":"[a-z-]+",.*$/.exec(stdout)?.[0] ?? stdout;
  expect(() => JSON.parse(text), where).not.toThrow();
  rmSync(work, { recursive: true });
}
