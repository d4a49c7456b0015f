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

const SCRIPTS = { latin: 'abcdefghijklmnopqrstuvwxyz', kana: '東京在住のエンジニア日本語です', emoji: '🙋🙌🙍👍🏽' };

describe.each(Object.entries(SCRIPTS))('two unlike texts in %s', (_, letters) => {
  it.each([500, 1000, 3000, 10_000, 100_000])('of %i characters do not take for ever', (length) => {
    const [before, after] = [prose(letters, length, 1), prose(letters, length, 2)];
    const started = performance.now();
    const html = diffHtml('Bio', before, after);
    // a tenth of a second, and the benchmark says so; what goes wrong here goes wrong by much
    expect(performance.now() - started).toBeLessThan(2000);
    expect(shown(html)).toEqual({ before, after });
  });
});

it('two long texts are shown one after the other, however alike', () => {
  const before = prose(SCRIPTS.latin, 10_000, 1);
  const after = `${before}.`;
  expect(diffHtml('Bio', before, after)).toBe(
    `<del style="background:#ffe6e6;">${before}</del><ins style="background:#e6ffe6;">${after}</ins>`,
  );
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
