import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';

const GENERATOR = fileURLToPath(new URL('../../bench/skewed-snapshots.js', import.meta.url));
const START = Date.UTC(2022, 0, 1);
const FILES = 3;

/** Writes files with generated snapshots, half of them of one account. Each file has snapshots from the whole period. */
function writeSkewed(folder: string, snapshots: number): void {
  mkdirSync(folder);
  const text = execFileSync(process.execPath, [GENERATOR, String(snapshots), '60', '20'], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const lines = text.trimEnd().split('\n');
  for (let file = 0; file < FILES; file += 1)
    writeFileSync(join(folder, `${file}.ndjson`), lines.filter((_, index) => index % FILES === file).join('\n'));
}

/** Writes snapshots of one account. Each has another location, of `length` characters. */
function writeChanges(file: string, snapshots: number, length: number): void {
  const lines = Array.from({ length: snapshots }, (_, index) =>
    JSON.stringify({
      observed_at: new Date(START + index * 1000).toISOString(),
      screen_name: 'ann',
      location: `${index} `.padEnd(length, 'Leeds '),
    }),
  );
  writeFileSync(file, lines.join('\n'));
}

describe('an account with most snapshots', () => {
  it('gives a store with the same bytes from the sources and in parts', { timeout: 300_000 }, async () => {
    const folder = temporaryFolder();
    const [snapshots, run] = [join(folder, 'snapshots'), join(folder, 'run')];
    writeSkewed(snapshots, 6000);
    const store = (name: string) => join(folder, `${name}.db`);
    const one = await palimpsestJson(['observe', snapshots, '--store', store('one')]);
    expect(one).toMatchObject({ snapshots: 6000, accounts: { added: 60 } });
    for (let part = 0; part < FILES; part += 1)
      await palimpsestJson(['normalize', snapshots, '--shard', `${part}/${FILES}`, '--to', join(run, `${part}.ndjson.gz`)]);
    await palimpsestJson(['observe', run, '--store', store('parts')]);
    expect(readFileSync(store('parts')).equals(readFileSync(store('one')))).toBe(true);
  });

  it('needs less heap than the size of its values, in a dry run of observe and in normalize', { timeout: 300_000 }, async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'changes.ndjson');
    writeChanges(file, 3000, 30_000);
    const memory = { env: { NODE_OPTIONS: '--max-old-space-size=60' } };
    // a dry run, because a commit needs memory for all records of an account
    const observed = await palimpsestJson(['observe', file, '--store', join(folder, 'a.db'), '--dry-run'], memory);
    expect(observed).toMatchObject({ records: { Location: 3000 } });
    const normalized = await palimpsestJson(['normalize', file, '--to', join(folder, 'changes.ndjson.gz')], memory);
    expect(normalized).toMatchObject({ profiles: 3000 });
  });
});
