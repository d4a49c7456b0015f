import { expect, it } from 'vitest';
import { shellWord } from '../../src/contract/hint.ts';

it.each([
  ['https://example.org/api', 'https://example.org/api'],
  ['', "''"],
  ['my store.db', "'my store.db'"],
  [' a', "' a'"],
  ['$HOME', "'$HOME'"],
  ["it's", "'it'\\''s'"],
  ["a'b\\c\nd\u009f", "$'a\\'b\\\\c\\u000ad\\u009f'"],
  ['\u009f', "$'\\u009f'"],
  ['a\u001f', "$'a\\u001f'"],
])('%j has the form that every shell reads, if it can', (text, word) => expect(shellWord(text)).toBe(word));
