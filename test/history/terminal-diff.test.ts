import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DataType } from '../../src/contract/record.ts';
import { terminalDiff } from '../../src/history/terminal-diff.ts';
import { hostileText } from '../support/histories.ts';

const marked = (type: DataType, before: string | null | undefined, after: string | null, columns = 80) =>
  terminalDiff(type, before, after, columns, false);

/** Returns the width of a line in terminal columns: two for wide letters, none for combining characters. */
function width(line: string): number {
  let columns = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (/^[\p{Default_Ignorable_Code_Point}\p{Mn}]+$/u.test(segment)) continue;
    columns += /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u.test(segment) ? 2 : 1;
  }
  return columns;
}

describe('terminalDiff', () => {
  it.each<[DataType, string | null | undefined, string | null, readonly string[]]>([
    ['Bio', 'I like tea', 'I like coffee', ['I like [-tea-]{+coffee+}']],
    ['Name', 'Jack', 'Jack D', ['Jack{+ D+}']],
    ['Bio', undefined, 'hello', ['{+hello+}']],
    ['Bio', 'hello', '', ['[-hello-]']],
    ['Bio', undefined, '', ['(empty)']],
    ['Website', 'https://a.example', null, ['[-https://a.example-]']],
    ['Website', null, 'https://a.example', ['{+https://a.example+}']],
    ['Website', '', null, ['(empty)']],
    ['Location', 'London', 'London, UK', ['[-London-]{+London, UK+}']],
    ['Verified', 'false', 'true', ['[-false-]{+true+}']],
    ['Verified', undefined, 'true', ['{+true+}']],
  ])('marks a %s changed from %j to %j', (type, before, after, lines) => expect(marked(type, before, after)).toEqual(lines));

  it('adds colors on request, and keeps the marks', () => {
    expect(terminalDiff('Bio', 'I like tea', 'I like coffee', 80, true)).toEqual([
      'I like \u001b[31m[-tea-]\u001b[39m\u001b[32m{+coffee+}\u001b[39m',
    ]);
  });

  it('shows added, removed and kept line breaks', () => {
    expect(marked('Bio', 'a\nb', 'a\nb\nc')).toEqual(['a', 'b{+⏎', 'c+}']);
    expect(marked('Location', 'a\r\nb', '')).toEqual(['[-a⏎', 'b-]']);
  });

  it('escapes characters that would move the cursor or change colors', () => {
    const [line = ''] = marked('Location', '\u001b[31mred\u0007\t', '\u009b2J\u007f');
    expect(line).toBe('[-\\u001b[31mred\\u0007\\u0009-]{+\\u009b2J\\u007f+}');
  });

  it('prints no control character that moves the cursor, for any texts', () => {
    fc.assert(
      fc.property(hostileText, hostileText, fc.constantFrom<DataType>('Bio', 'Website'), (before, after, type) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern detects control characters
        for (const line of marked(type, before, after, 20)) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }),
    );
  });

  it.each([
    ['words', 'the quick brown fox jumps over the lazy dog and on it goes'],
    ['no words', 'x'.repeat(100)],
    ['wide letters', '東京都渋谷区から大阪府まで旅をする人の日記です。毎日更新。'],
    ['emoji', '👩‍👩‍👧‍👦🏳️‍🌈👍🏽🎉'.repeat(8)],
  ])('wraps to the width: %s', (_, text) => {
    for (const columns of [10, 20, 37]) {
      const lines = marked('Bio', undefined, text, columns);
      expect(lines.length).toBeGreaterThan(1);
      expect(lines.map(width).filter((wide) => wide > columns)).toEqual([]);
      expect(lines.join('').replace(/\s/g, '')).toBe(`{+${text}+}`.replace(/\s/g, ''));
    }
  });

  it('truncates a text that is longer than any profile, and names the number of hidden characters', () => {
    const marks = '😀'.repeat(5001);
    expect(marked('Location', undefined, 'x'.repeat(10_000), 1000).join('')).toBe(`{+${'x'.repeat(10_000)}+}`);
    const [first = '', ...rest] = marked('Bio', `${marks}x`, '', 1_000_000);
    expect(rest).toEqual([]);
    expect(first).toBe(`[-${'😀'.repeat(5000)}-] (3 more characters; --json prints them all)`);
    const half = marked('Bio', undefined, `x${marks}`, 1_000_000).join('');
    expect(half).toBe(`{+x${'😀'.repeat(4999)}\ufffd+} (3 more characters; --json prints them all)`);
  });

  it.each(['a\u0301', '👩‍👩‍👧‍👦', 'ש', '\n', '@a #b '])('shows the start of a text of %j, repeated twenty thousand times', (piece) => {
    const long = piece.repeat(20_000);
    for (const [before, after] of [
      [undefined, long],
      [long, `${long}x`],
    ] as const) {
      const shown = terminalDiff('Bio', before, after, 78, true).join('');
      expect(shown.length).toBeLessThan(200_000);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: color codes begin with one
      expect(shown.replace(/\u001b\[\d+m|\s/g, '')).toMatch(/\([\d,]+morecharacters;--jsonprintsthemall\)[\u2069]*$/);
    }
  });

  it('repeats the color on each wrapped line', () => {
    const lines = terminalDiff('Location', undefined, 'one two three four five', 10, true);
    expect(lines.length).toBeGreaterThan(2);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: color codes begin with one
    for (const line of lines) expect(line).toMatch(/^\u001b\[32m.*\u001b\[39m$/);
  });

  it.each([1, 0, -1, 5])('ends on a terminal of %i columns', (columns) => {
    const lines = marked('Bio', 'one two', 'one 東京 👩‍👩‍👧‍👦', columns);
    expect(lines.join('').replace(/\s/g, '')).toContain('one');
  });

  it.each(['שלום עולם', 'مرحبا', 'a \u202e b', '\u2067x\u2069'])('keeps %j from moving the text around it', (text) => {
    expect(marked('Location', text, 'x')).toEqual([`[-\u2068${text}\u2069-]{+x+}`]);
  });

  it('keeps a text from closing the isolate around it', () => {
    const controls = ['\u2069\u202eabc', '\u2069\u2069\u202eabc', '\u202dabc', '\u202aabc', '\u2066abc', '\u2068abc', '\u2069abc'];
    for (const text of controls) expect(depthAtEnd(marked('Location', undefined, text).join(''))).toBe(0);
  });

  it('isolates each wrapped line of right-to-left text', () => {
    const lines = marked('Location', 'שלום עולם שלום עולם שלום', 'x', 10);
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.map(depthAtEnd)).toEqual(lines.map(() => 0));
    for (const line of lines.slice(1, -1)) expect(line).toMatch(/^\u2068.*\u2069/);
  });

  it('adds no direction controls to text that does not need them', () => {
    expect(marked('Location', undefined, 'plain 東京 é 🎉').join('')).not.toMatch(/[\u2066-\u2069\u202a-\u202e]/);
  });
});

/**
 * Returns the depth of open isolates and embeddings at the end of a line; -1 if an unopened one is closed or
 * an override escapes.
 */
function depthAtEnd(line: string): number {
  const open: string[] = [];
  for (const character of line) {
    if (/[\u2066-\u2068]/.test(character)) open.push('isolate');
    if (/[\u202a\u202b\u202d\u202e]/.test(character)) {
      if (!open.includes('isolate')) return -1;
      open.push('embedding');
    }
    if (character === '\u2069') {
      const last = open.lastIndexOf('isolate');
      if (last === -1) return -1;
      open.length = last;
    }
  }
  return open.length;
}
