import { describe, expect, it } from 'vitest';
import { overlapPage } from '../../src/publish/overlap-page.ts';

const page = (...ids: readonly number[]) =>
  Buffer.from(`{"count":9,"next":null,"previous":null,"results":[${ids.map((id) => `{"id":${id},"text":"\\u2028 ${id}"}`).join(',')}]}`);

describe('a overlap page', () => {
  it('has the newer page’s items as they are, and behind them those that leave', () => {
    expect(overlapPage('data', page(4, 3), page(5, 4))).toEqual({ bytes: page(5, 4, 3), isPulledForward: false });
  });

  it('is the newer page where it takes nothing away', () => {
    const newer = page(5, 4, 3);
    expect(overlapPage('data', page(4, 3), newer)?.bytes).toBe(newer);
  });

  it('is none where both have the same items', () => {
    expect(overlapPage('data', page(4, 3), page(4, 3))).toBeUndefined();
  });

  it('knows items that are on their way to an earlier page', () => {
    expect(overlapPage('data', page(9, 8), page(7, 6))?.movesForward).toBe(true);
  });

  it('holds an empty page to the same', () => {
    expect(overlapPage('data', page(1), page())?.bytes).toEqual(page(1));
  });
});
