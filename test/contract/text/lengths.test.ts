import { expect, it } from 'vitest';
import { checkLengths } from '../../../src/contract/text/lengths.ts';

const text = (length: number) => 'x'.repeat(length);

it('accepts texts of the greatest length, and does not check the items of a list', () => {
  const texts = { text: text(10_000), diff_html: text(100_000), none: null, count: 5 };
  checkLengths({ ...texts, list: [texts, text(10_000)], data: [text(10_001)], results: [text(10_001)] }, '');
});

it.each([
  [{ text: text(10_001) }, '', 'text', 10_000, 10_001],
  [{ diff_html: text(100_001) }, 'results[3]', 'results[3].diff_html', 100_000, 100_001],
  [{ user: { urls: ['a', { url: text(10_002) }] } }, 'line', 'line.user.urls[1].url', 10_000, 10_002],
])('refuses a longer text, and says where it is', (item, path, field, most, length) => {
  const violation = { field, expected: `at most ${most} characters`, found: String(length) };
  expect(() => checkLengths(item, path)).toThrow(expect.objectContaining(violation));
});
