import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';

it.each([
  [['serve', 'site'], 'serve --out site'],
  [['build', 'site'], 'build --out site'],
  [['store', 'check', 'x.db'], 'store check --store x.db'],
  [['archive', 'wacz', 'x.wacz'], 'archive wacz --to x.wacz'],
  [['export', 'csv', 'tables'], 'export csv --to tables'],
])('suggests the option for a path that is written without one: %j', async (args, expected) => {
  const { code, stderr } = await palimpsestHere(args, { cwd: temporaryFolder() });
  expect(stderr.replaceAll(/`[^`]*palimpsest(\.js)? /g, '`')).toContain(`\`${expected}\``);
  expect(code).toBe(2);
});

it('says where an option belongs that is written before the command', async () => {
  const { code, stderr } = await palimpsestHere(['--store', 'x.db', 'build']);
  expect(stderr).toContain('write --store after the command: palimpsest build --store …');
  expect(code).toBe(2);
});
