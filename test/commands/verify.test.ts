import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';

const cwd = folderOfFile();
const input = (day: number) => JSON.stringify({ observed_at: `2024-01-0${day}T00:00:00Z`, screen_name: 'ann', bio: `${day}` });

it('verify compares a tree with the default store if it was built from its present state, and says so', async () => {
  const verify = async (...more: string[]) => {
    const { code, stdout } = await palimpsestHere(['verify', ...more], { cwd });
    expect(code).toBe(0);
    return stdout.includes('compared  with the store data/palimpsest.db');
  };
  await palimpsestJson(['observe', '-'], { cwd, input: input(1) });
  await palimpsestJson(['build'], { cwd });
  await palimpsestJson(['build', '--out', 'tree.zip'], { cwd });
  expect([await verify(), await verify('--out', 'tree.zip')]).toEqual([true, true]);
  expect(await palimpsestJson(['verify'], { cwd })).toMatchObject({ store: 'data/palimpsest.db' });
  await palimpsestJson(['observe', '-'], { cwd, input: input(2) });
  expect(await verify()).toBe(false);
  writeFileSync(join(cwd, 'data/palimpsest.db'), 'damaged');
  expect(await verify()).toBe(false);
});
