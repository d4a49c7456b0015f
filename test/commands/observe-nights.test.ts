import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { contentsOf } from '../support/snapshots.ts';

const account = (name: string, note: string) => JSON.stringify({ acct: `${name}@social.example`, id: name, display_name: name, note });

/** A folder with a folder for each night. Each has the same three accounts, and a changes its bio. */
function nights(...names: readonly string[]): { cwd: string; store: string } {
  const cwd = temporaryFolder();
  for (const [index, night] of names.entries()) {
    const folder = join(cwd, 'nights', night);
    mkdirSync(folder, { recursive: true });
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, `${name}.json`), account(name, name === 'a' ? `bio ${index}` : 'same'));
  }
  return { cwd, store: join(cwd, 'store.db') };
}

describe('palimpsest observe of documents without a time', () => {
  it('takes the time of each night from the name of its folder, and says so', async () => {
    const { cwd, store } = nights('2024-05-01', '2024-05-02T03-17-00Z', '2024-05-03');
    const { code, stdout } = await palimpsestHere(['observe', 'nights', '--store', store], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain(
      '  times     2024-05-01T00:00:00.000000Z to 2024-05-03T00:00:00.000000Z: 9 snapshots with the time in the name of the file or folder\n',
    );
    const bios = contentsOf(store).feed.filter((record) => record.account.startsWith('a@') && record.data_type === 'Bio');
    expect(bios.map(({ text, first_encountered_date }) => [text, first_encountered_date])).toEqual([
      ['bio 2', '2024-05-03T00:00:00.000000Z'],
      ['bio 1', '2024-05-02T03:17:00.000000Z'],
      ['bio 0', '2024-05-01T00:00:00.000000Z'],
    ]);
  });

  it('refuses to normalize several nights with one time, and writes nothing', async () => {
    const { cwd } = nights('monday', 'tuesday', 'wednesday');
    const args = ['normalize', 'nights', '--to', 'part.ndjson', '--observed-at', '2024-05-01T00:00:00Z'];
    const { code, stderr } = await palimpsestHere(args, { cwd });
    expect([code, stderr]).toEqual([3, expect.stringContaining('(shared-time)')]);
    expect(stderr).toContain('several versions of 3 of the 3 accounts at 2024-05-01T00:00:00.000000Z');
    expect(stderr).toContain('part.ndjson was not written');
    expect(readdirSync(cwd)).toEqual(['nights']);
    const timed = nights('2024-05-01', '2024-05-02');
    expect(await palimpsestJson(['normalize', 'nights', '--to', 'part.ndjson'], { cwd: timed.cwd })).toMatchObject({ snapshots: 6 });
    const one = ['normalize', 'nights/2024-05-01', '--to', 'one.ndjson', '--observed-at', '2024-05-01T00:00:00Z'];
    expect(await palimpsestJson(one, { cwd: timed.cwd })).toMatchObject({ snapshots: 3 });
  });

  it('accepts one time for snapshots in which few accounts appear again', async () => {
    const { cwd, store } = nights('list');
    writeFileSync(join(cwd, 'nights', 'again.json'), account('a', 'changed in between'));
    const args = ['observe', 'nights', '--store', store, '--observed-at', '2024-05-01T00:00:00Z'];
    expect(await palimpsestJson(args, { cwd })).toMatchObject({ snapshots: 4, conflicts: { count: 1 } });
  });
});
