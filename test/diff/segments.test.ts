import { expect, it } from 'vitest';
import { editsWithin, mergeAdjacent, sidesOf, trimCommon, wholeEdit } from '../../src/diff/edits.ts';
import { segmentsOf } from '../../src/diff/segments.ts';
import { weightOf, widthOf } from '../../src/diff/semantic-cleanup.ts';
import { tokensOf } from '../../src/diff/tokens.ts';
import { cutScore, isDigit, isInWord, isUnspaced } from '../../src/diff/words.ts';

const tokens = (text: string) => tokensOf(text, 'name');

it('compares two texts of 6,000 characters together, and shows longer ones one after the other', () => {
  const text = 'word '.repeat(600);
  const kinds = (after: string) => segmentsOf(text, after).map(({ kind }) => kind);
  expect(kinds(`s${text.slice(1)}`)).toEqual(['removed', 'added', 'kept']);
  expect(kinds(`s${text}`)).toEqual(['removed', 'added']);
});

it.each([
  [500, 500],
  [501, 1],
])('two texts with %i replacements have %i edits', (replacements, edits) => {
  const sides = sidesOf(tokens('ko'.repeat(replacements)), tokens('kn'.repeat(replacements)));
  expect(editsWithin(sides, wholeEdit(sides))).toHaveLength(edits);
  expect(trimCommon(sides, wholeEdit(sides))).toMatchObject({ oldStart: 1, newStart: 1 });
});

it('merges edits without a kept token between them, and drops those that change nothing', () => {
  const edit = (oldStart: number, oldEnd: number, newStart: number, newEnd: number) => ({ oldStart, oldEnd, newStart, newEnd });
  expect(mergeAdjacent([edit(0, 1, 0, 0), edit(1, 1, 0, 2), edit(2, 2, 3, 3), edit(4, 5, 5, 5), edit(6, 7, 6, 7)])).toEqual([
    edit(0, 1, 0, 2),
    edit(4, 5, 5, 5),
    edit(6, 7, 6, 7),
  ]);
});

it.each([
  ['ab', 2],
  ['the end', 7],
  ['word', 8],
  ['long word', 17],
  ['a long word', Number.POSITIVE_INFINITY],
  ['a b c', Number.POSITIVE_INFINITY],
  ['abc def', 7],
  ['日本語', 3],
  ['日本語です', 5],
  ['日本語です日', Number.POSITIVE_INFINITY],
  ['a b 日', 5],
  ['a b 日本', Number.POSITIVE_INFINITY],
  ['a|b', Number.POSITIVE_INFINITY],
  ['a\nb', Number.POSITIVE_INFINITY],
  ['a @jack', Number.POSITIVE_INFINITY],
])('the text %j between two edits weighs %d', (text, weight) => {
  const list = tokens(text);
  expect(weightOf(list, 0, list.length)).toBe(weight);
});

it('a fragment of a word weighs only its letters', () => {
  expect(weightOf(tokens('sword'), 1, 5)).toBe(4);
  expect(weightOf(tokens('xb d e'), 1, 6)).toBe(5);
  expect(weightOf(tokens('words'), 0, 4)).toBe(4);
});

it('a mention is as wide as its text, a grapheme is one', () => {
  expect(widthOf(tokens('👍🏽e\u0301 @jack'), 0, 4)).toBe(3 + 5);
});

it.each([
  ['a', true],
  ['Z', true],
  ['_', true],
  ['é', true],
  ['٤', true],
  ['❤️', false],
  ['東', false],
  ['ー', false],
  ["'", false],
  ['-', false],
])('%j is part of a word: %s', (text, isPart) => expect(isInWord(tokens(text), 0)).toBe(isPart));

it('an apostrophe is part of a word only between two letters', () => {
  expect(["a'b", "'b", "a'", "-'b", "a'-"].map((text) => isInWord(tokens(text), text.indexOf("'")))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

it('knows digits, and scripts without spaces', () => {
  expect(tokens('7a٤1️⃣').map(isDigit)).toEqual([true, false, true, true]);
  expect(tokens('aé東カーไ').map(isUnspaced)).toEqual([false, false, true, true, true, true]);
});

it.each([
  ['ab', 0],
  ['a-', 1],
  ['a ', 2],
  ['. ', 3],
  [' .', 2],
  ['a\n', 4],
  ['\na', 4],
  ['\n\n', 5],
])('to cut %j in the middle is rated %d', (text, score) => expect(cutScore(tokens(text), 1)).toBe(score));

it('to cut at an end is rated highest', () => expect([0, 2].map((at) => cutScore(tokens('ab'), at))).toEqual([6, 6]));

it('long texts that differ in line breaks only are kept', () => {
  const line = 'a line of a text. '.repeat(400);
  expect(segmentsOf(`${line}\r\n${line}`, `${line}\n${line}`).map(({ kind }) => kind)).toEqual(['kept']);
});
