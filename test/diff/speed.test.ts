import { describe, expect, it } from 'vitest';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { shown } from './browser.ts';

/** Invented words of some letters, the same each time. */
function prose(letters: string, length: number, seed: number): string {
  const signs = [...letters];
  let [state, text] = [seed, ''];
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    text += state % 7 === 0 ? ' ' : signs[(state >> 8) % signs.length];
  }
  return text.slice(0, length).toWellFormed();
}

/** Milliseconds of a processor that the fastest of three takes: other tests run beside it. */
function fastest(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const started = process.cpuUsage();
    work();
    return process.cpuUsage(started).user / 1000;
  });
  return Math.min(...times);
}

const SCRIPTS = { latin: 'abcdefghijklmnopqrstuvwxyz', kana: '東京在住のエンジニア日本語です', emoji: '🙋🙌🙍👍🏽' };

describe.each(Object.entries(SCRIPTS))('two unlike texts in %s', (_, letters) => {
  // a third of that on a machine of today; what is slower than so much has another algorithm
  it.each([
    [500, 400],
    [1000, 400],
    [3000, 400],
    [10_000, 200],
  ])('of %i characters take less than %i ms', (length, milliseconds) => {
    const [before, after] = [prose(letters, length, 1), prose(letters, length, 2)];
    expect(fastest(() => diffHtml('Bio', before, after))).toBeLessThan(milliseconds);
  });
});

describe('a text of a million characters', () => {
  it.each(['a', '@a ', '#a ', '\n', '\r\n', '<', '&', '👩‍👩‍👧‍👦', '\u0301', 'http://x.example/@a '])('of %j does no harm', (piece) => {
    const before = piece.repeat(1_000_000 / piece.length);
    for (const [old, fresh] of [
      ['', before],
      [before, `${before}x`],
    ] as const) {
      const html = diffHtml('Bio', old, fresh);
      expect(html.length).toBeGreaterThan(fresh.length);
    }
  });
});

it('a thousand edits and more are shown as one', () => {
  const [before, after] = ['ab'.repeat(1250), 'cd'.repeat(1250)];
  const html = diffHtml('Bio', before, after);
  expect(html).toBe(`<del style="background:#ffe6e6;">${before}</del><ins style="background:#e6ffe6;">${after}</ins>`);
  expect(shown(html)).toEqual({ before, after });
});
