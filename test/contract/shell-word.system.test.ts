import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../src/contract/shell-word.ts';

describe('a word of a shell', () => {
  it.each(['data/store.db', 'my store.db', "it's", '$HOME `id` "x" \\', '*', '~', '', 'größe.db', 'a\nb\t\u001b[31m', "\u0007'\\"])(
    'gives %j back when bash reads it',
    (text) => {
      const { stdout } = spawnSync('bash', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' });
      expect(stdout).toBe(text);
    },
  );

  it('stays as it is if it needs no quotes', () => {
    expect(shellWord('https://example.org/api')).toBe('https://example.org/api');
  });
});
