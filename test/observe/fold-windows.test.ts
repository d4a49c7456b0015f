import { describe, expect, it } from 'vitest';
import type { FoldedChange } from '../../src/observe/fold.ts';
import { type FoldedWindow, rowsAfter } from '../../src/observe/fold-windows.ts';

const ROW = { instant: 0, profile: 1, archive: 0, account: 1, input: 0, line: 1 };

/** A window in which some rows have one change each, with a text of a length. */
function windowWith({ rows, changed, length }: { rows: number; changed: number; length: number }): FoldedWindow {
  const change: FoldedChange = { type: 'Bio', before: undefined, text: 'x'.repeat(length), diff_html: '' };
  return {
    rows: Array.from({ length: rows }, () => ROW),
    changes: new Map(Array.from({ length: changed }, (_, index) => [index, [change]] as const)),
  };
}

describe('the number of rows in the next window', () => {
  it.each([
    ['doubles without changes', { rows: 32, changed: 0, length: 0 }, 64],
    ['has a maximum', { rows: 2000, changed: 0, length: 0 }, 2048],
    ['stays if there are as many changes as a window should have', { rows: 1000, changed: 256, length: 1 }, 1000],
    ['falls if there are more changes', { rows: 1000, changed: 512, length: 1 }, 500],
    ['falls if the changes have more text than a window should have', { rows: 100, changed: 64, length: 65_536 }, 25],
    ['is at least 1', { rows: 1, changed: 1, length: 8_000_000 }, 1],
  ])('%s', (_, window, expected) => {
    expect(rowsAfter(windowWith(window))).toBe(expected);
  });
});
