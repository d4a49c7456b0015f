import { describe, expect, it } from 'vitest';
import { palimpsest } from '../support/palimpsest.ts';

describe('help', () => {
  it.each([[['build']], [['store', 'check']], [['export', 'csv']]])('shows the help of the command %j', async (words) => {
    const [help, option] = await Promise.all([palimpsest(['help', ...words]), palimpsest([...words, '--help'])]);
    expect(help.stdout).toContain(`Usage: palimpsest ${words.join(' ')} `);
    expect(help).toEqual(option);
  });

  it.each([[['foo']], [['store', 'foo']]])('rejects the unknown command %j', async (words) => {
    const { code, stdout, stderr } = await palimpsest(['help', ...words]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining("unknown command 'foo' (usage)")]);
  });
});
