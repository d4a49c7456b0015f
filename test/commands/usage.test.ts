import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';

describe('help', () => {
  it.each([[['build']], [['store', 'check']]])('shows the help of the command %j', async (words) => {
    const help = await palimpsestHere(['help', ...words]);
    expect(help.stdout).toContain(`Usage: palimpsest ${words.join(' ')} `);
    expect(help).toEqual(await palimpsestHere([...words, '--help']));
  });

  it.each([[['foo']], [['store', 'foo']]])('rejects the unknown command %j', async (words) => {
    const { code, stdout, stderr } = await palimpsestHere(['help', ...words]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining("unknown command 'foo' (usage)")]);
  });
});

it.each([
  [['serve', 'site'], 'serve --out site'],
  [['store', 'check', 'x.db'], 'store check --store x.db'],
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
