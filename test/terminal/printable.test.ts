import { expect, it } from 'vitest';
import { escapeControls, printable } from '../../src/terminal/printable.ts';

it.each([
  ['\u001b[31mred\n\u009b', '\\u001b[31mred\\u000a\\u009b'],
  ['a\u2028b\u2029\ufff9c\ufffb', 'a\\u2028b\\u2029\\ufff9c\\ufffb'],
  ['a\u202egpj.exe', 'a\\u202egpj.exe'],
  ['\u2066a\u2069\u200f\u061c', '\\u2066a\\u2069\\u200f\\u061c'],
  ['ja\u200bck\u2060\ufeff\u00ad', 'ja\\u200bck\\u2060\\ufeff\\u00ad'],
  ['ja\u200dck\u200c\ufe0f', 'ja\\u200dck\\u200c\\ufe0f'],
  ['a\u{e0041}\u{e0100}', 'a\\u{e0041}\\u{e0100}'],
])('printable escapes control characters and invisible characters in %j', (text, expected) => {
  expect(printable(text)).toBe(expected);
  expect(printable(expected)).toBe(expected);
});

it.each(['👩‍👩‍👧‍👦', '🏳️‍🌈', '❤️', '1️⃣', '🏴󠁧󠁢󠁷󠁬󠁳󠁿', 'می‌خواهم', 'क्‍ष', 'שלום', 'Zoë 東京'])('printable keeps %s', (text) => {
  expect(printable(text)).toBe(text);
});

it('printable escapes a joiner after a digit, and tags that follow no flag', () => {
  expect(printable('jack1\u200d')).toBe('jack1\\u200d');
  expect(printable('1\u{e0041}\u{e0042}')).toBe('1\\u{e0041}\\u{e0042}');
});

it('escapeControls keeps what changes the direction of a text', () => {
  expect(escapeControls('\u202ea\u0007\u200b')).toBe('\u202ea\\u0007\u200b');
});
