import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { program } from '../conformance/child.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN } from '../support/palimpsest.ts';
import { cases } from '../support/proof.ts';
import { until } from '../support/until.ts';

const SHELLS = [
  { name: 'bash', start: 'bash --norc', source: 'source <(palimpsest completion bash)', substitution: '$(touch run)' },
  {
    name: 'zsh',
    start: 'zsh -f',
    source: 'autoload -Uz compinit; compinit -u -D; source <(palimpsest completion zsh)',
    substitution: '$(touch run)',
  },
  { name: 'fish', start: 'fish --no-config', source: 'palimpsest completion fish | source', substitution: '(touch run)' },
].map((shell) => ({ ...shell, needs: [program('tmux'), program(shell.name)] }));

it.for(cases(SHELLS))('Tab completes in $name, and runs nothing of the line', async ({ start, source, substitution, needs }, { skip }) => {
  for (const { skip: isMissing, reason } of needs) skip(isMissing, reason);
  const home = temporaryFolder();
  const folder = join(home, 'here');
  mkdirSync(folder);
  writeFileSync(join(home, 'palimpsest'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(join(home, 'palimpsest'), 0o755);
  writeFileSync(join(folder, 'precious.txt'), 'precious');
  writeFileSync(join(folder, 'history.zip'), '');
  const env = { ...process.env, HOME: home, PATH: `${home}:${process.env['PATH']}`, TMUX_TMPDIR: home, LC_ALL: 'C.UTF-8' };
  const tmux = (...args: string[]) => execFileSync('tmux', ['-f', '/dev/null', ...args], { env, cwd: folder, encoding: 'utf8' });
  const screen = () => tmux('capture-pane', '-p');
  const enter = (line: string) => tmux('send-keys', line, 'Enter');
  tmux('new-session', '-d', '-x', '120', '-y', '50', start);
  try {
    enter(`${source}; ${source}; printf 'sou%s\\n' rced`);
    await until(() => /^sourced/m.test(screen()));
    expect(screen()).not.toMatch(/error|not found/i);
    for (const [line, completed] of [
      ['palimpsest export ndjson --to - > precious.txt --st', 'precious.txt --store'],
      [`palimpsest import ${substitution} --on-con`, '--on-conflict'],
      ['palimpsest observe --from=twi', '--from=twitter-'],
      ['palimpsest build --out hist', '--out history.zip'],
      ['palimpsest rewrite nginx-n', 'rewrite nginx-njs'],
    ] as const) {
      tmux('send-keys', line, 'Tab');
      await until(() => screen().includes(completed));
      // not Ctrl-C: the terminal would drop what is typed before the shell has seen the signal
      tmux('send-keys', 'C-u');
    }
  } finally {
    tmux('kill-server');
  }
  expect(readFileSync(join(folder, 'precious.txt'), 'utf8')).toBe('precious');
  expect(existsSync(join(folder, 'run'))).toBe(false);
});
