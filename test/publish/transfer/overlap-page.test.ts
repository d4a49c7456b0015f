import { describe, expect, it } from 'vitest';
import { overlapPage } from '../../../src/publish/transfer/overlap-page.ts';

const page = (...ids: readonly number[]) =>
  Buffer.from(`{"count":9,"next":null,"previous":null,"results":[${ids.map((id) => `{"id":${id},"text":"\\u2028 ${id}"}`).join(',')}]}`);

describe('an overlap page', () => {
  it('has the items of the newer page unchanged, followed by those that leave', () => {
    expect(overlapPage('data', page(4, 3), page(5, 4))).toEqual({ bytes: page(5, 4, 3), movesForward: false });
  });

  it('equals the newer page if no item leaves', () => {
    const newer = page(5, 4, 3);
    expect(overlapPage('data', page(4, 3), newer)?.bytes).toBe(newer);
  });

  it('is not needed if both pages have the same items', () => {
    expect(overlapPage('data', page(4, 3), page(4, 3))).toBeUndefined();
  });

  it('detects items that move to an earlier page', () => {
    expect(overlapPage('data', page(9, 8), page(7, 6))?.movesForward).toBe(true);
  });

  it('keeps the old items of a page that becomes empty', () => {
    expect(overlapPage('data', page(1), page())?.bytes).toEqual(page(1));
  });
});
