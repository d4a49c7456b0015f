import { describe, expect, it } from 'vitest';
import { HOST_NAMES } from '../../src/rewrite/hosts/registry.ts';
import { palimpsestHere } from '../support/palimpsest.ts';

/** What the program offers for the last word of a command line, and whether the shell may complete files there. */
async function offered(words: readonly string[]): Promise<{ readonly values: string[]; readonly files: boolean }> {
  const { stdout } = await palimpsestHere(['complete', '--', ...words]);
  const lines = stdout.trimEnd().split('\n');
  const directive = lines.pop();
  expect([':0', ':4']).toContain(directive);
  return { values: lines.map((line) => line.split('\t')[0] ?? ''), files: directive === ':0' };
}

describe('completion', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['commands', ['ver'], ['verify', 'versions']],
    ['the commands of a group', ['store', ''], ['check', 'push', 'pull', 'versions']],
    ['options', ['build', '--page'], ['--page-size']],
    ['choices of an option', ['import', 'x', '--on-conflict', ''], ['fail', 'keep', 'replace']],
    ['shells', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['every host', ['rewrite', ''], HOST_NAMES],
    ['nothing for a handle', ['history', ''], []],
  ])('offers %s', async (_, words, values) => {
    expect(await offered(words)).toEqual({ values, files: false });
  });

  it.each([
    [['import', ''], true],
    [['build', '--store', ''], true],
    [['serve', '--port', ''], false],
    [['serve', ''], false],
  ])('lets the shell complete files only where a path belongs: %j is %s', async (words, files) => {
    expect(await offered(words)).toEqual({ values: [], files });
  });

  it('rejects an unknown shell', async () => {
    const stderr = expect.stringContaining('one of bash, zsh, fish');
    expect(await palimpsestHere(['completion', 'cmd'])).toMatchObject({ code: 2, stderr });
  });
});
