import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from '../../src/contract/hint.ts';

it('bash reads each word of a shell back as it was', () => {
  const words = ['data/store.db', 'my store.db', "it's", '$HOME `id` "x" \\', '*', '~', '', 'größe.db', 'a\nb\t\u001b[31m', "\u0007'\\"];
  const read = execFileSync('bash', ['-c', `printf '%s\\0' ${words.map(shellWord).join(' ')}`], { encoding: 'utf8' });
  expect(read.split('\0').slice(0, -1)).toEqual(words);
});
