import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { BIN, palimpsest } from '../support/palimpsest.ts';

/** The part of the package bash-completion that the script calls. */
const BASH_COMPLETION =
  '_get_comp_words_by_ref() { cur=$' +
  '{COMP_WORDS[COMP_CWORD]}; prev=$' +
  '{COMP_WORDS[COMP_CWORD-1]}; words=("$' +
  '{COMP_WORDS[@]}"); cword=$COMP_CWORD; }';

it('bash offers what the program answers when Tab is pressed', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'palimpsest'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(join(folder, 'palimpsest'), 0o755);
  const lines = [
    BASH_COMPLETION,
    'compopt() { :; }',
    (await palimpsest(['completion', 'bash'])).stdout,
    'COMP_WORDS=(palimpsest ver); COMP_CWORD=1',
    "complete -p palimpsest | grep -q __palimpsest_complete && __palimpsest_complete && printf '%s\\n' \"$" + '{COMPREPLY[@]}"',
  ];
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const { stdout } = spawnSync('bash', ['--norc', '-c', lines.join('\n')], { env, encoding: 'utf8' });
  expect(stdout).toBe('verify\nversions\n');
});

it.each(['zsh', 'fish'])('there is a script for %s', async (shell) => {
  const { code, stdout } = await palimpsest(['completion', shell]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('palimpsest complete --')]);
});
