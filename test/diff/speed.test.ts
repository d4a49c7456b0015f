import { expect, it } from 'vitest';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { times } from '../support/proof.ts';
import { shown } from './browser.ts';

/** Random words of the given letters; the same for the same seed. */
function prose(letters: string, length: number, seed: number): string {
  const signs = [...letters];
  let [state, text] = [seed, ''];
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    text += state % 7 === 0 ? ' ' : signs[(state >> 8) % signs.length];
  }
  return text.slice(0, length).toWellFormed();
}

const LENGTH = times('characters of a repeated text', 40_000, 200_000);
const SCRIPTS = { latin: 'abcdefghijklmnopqrstuvwxyz', kana: '東京在住のエンジニア日本語です', emoji: '🙋🙌🙍👍🏽' };

it.each([
  ['latin', 500],
  ['emoji', 3000],
  ['kana', 5000],
  ['latin', 100_000],
] as const)('two unlike texts in %s of %i characters are compared to the end', (script, length) => {
  const [before, after] = [prose(SCRIPTS[script], length, 1), prose(SCRIPTS[script], length, 2)];
  expect(shown(diffHtml('Bio', before, after))).toEqual({ before, after });
});

it.each(['a', '@a ', '#a ', '\r\n', '&', '👩‍👩‍👧‍👦', '\u0301', 'http://x.example/@a '])(
  'a long text is rendered if it repeats %j',
  (piece) => {
    const before = piece.repeat(LENGTH / piece.length);
    for (const old of ['', before]) expect(diffHtml('Bio', old, `${before}x`).length).toBeGreaterThan(before.length);
  },
);
