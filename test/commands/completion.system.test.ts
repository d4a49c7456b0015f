import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { HOSTS } from '../../src/rewrite/hosts/registry.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN, palimpsest } from '../support/palimpsest.ts';

/** The part of the package bash-completion that the script calls. */
const BASH_COMPLETION =
  '_get_comp_words_by_ref() { cur=$' +
  '{COMP_WORDS[COMP_CWORD]}; prev=$' +
  '{COMP_WORDS[COMP_CWORD-1]}; words=("$' +
  '{COMP_WORDS[@]}"); cword=$COMP_CWORD; }';

const script = { bash: '' };

beforeAll(async () => {
  script.bash = (await palimpsest(['completion', 'bash'])).stdout;
});

/** What bash offers for a command line when Tab is pressed at its end. */
function offered(words: readonly string[]): string[] {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'palimpsest'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(join(folder, 'palimpsest'), 0o755);
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const lines = [
    BASH_COMPLETION,
    'compopt() { :; }',
    script.bash,
    `COMP_WORDS=(palimpsest ${quoted}); COMP_CWORD=${words.length}`,
    "complete -p palimpsest | grep -q __palimpsest_complete && __palimpsest_complete && printf '%s\\n' \"$" + '{COMPREPLY[@]}"',
  ];
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const { stdout } = spawnSync('bash', ['--norc', '-c', lines.join('\n')], { env, encoding: 'utf8', timeout: 60_000 });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion in bash', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['commands', ['ver'], ['verify', 'versions']],
    ['the commands of a group', ['store', ''], ['check', 'push', 'pull', 'list']],
    ['options', ['build', '--page'], ['--page-size']],
    ['choices of an option', ['import', 'x', '--on-conflict', ''], ['fail', 'keep', 'replace']],
    ['shells', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['nothing for a handle', ['history', ''], []],
  ])('offers %s', (_, words, expected) => {
    expect(offered(words)).toEqual(expected);
  });

  it('offers every host', () => {
    expect(offered(['rewrite', '']).toSorted()).toEqual(HOSTS.map(({ name }) => name).toSorted());
  });
});

describe('completion', () => {
  it.each(['zsh', 'fish'])('has a script for %s', async (shell) => {
    const { code, stdout } = await palimpsest(['completion', shell]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('palimpsest complete --')]);
  });

  it.each([
    [['import', ''], ':0'],
    [['build', '--store', ''], ':0'],
    [['serve', '--port', ''], ':4'],
    [['serve', ''], ':4'],
  ])('lets the shell complete files only where a path belongs: %j', async (words, directive) => {
    const { stdout } = await palimpsest(['complete', '--', ...words]);
    expect(stdout.trim().split('\n').at(-1)).toBe(directive);
  });

  it('rejects an unknown shell', async () => {
    expect(await palimpsest(['completion', 'cmd'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('one of bash, zsh, fish'),
    });
  });
});
