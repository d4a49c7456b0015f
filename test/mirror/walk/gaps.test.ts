import { describe, expect, it } from 'vitest';
import { type Gap, recordsIn, unreadRanges } from '../../../src/mirror/walk/gaps.ts';

const NONE: { readonly gaps: readonly Gap[]; readonly isOrdered: boolean } = { gaps: [], isOrdered: true };
const UNREAD: Gap = { page: 3, reason: 'status 500', newer: 81, older: null };
const SKIPPED: Gap = { page: 2, reason: null, newer: 91, older: 90 };
const gap: Gap = { ...UNREAD, older: 70 };
const ANY = { low: 0, high: Number.MAX_SAFE_INTEGER + 1, page: 1, pages: Number.MAX_SAFE_INTEGER };

describe('pages of the feed that could not be read', () => {
  it.each<readonly [string, Partial<typeof NONE>, readonly object[]]>([
    ['have no ids if there are none', { gaps: [SKIPPED] }, []],
    ['have the ids between the pages around them', { gaps: [SKIPPED, gap] }, [{ low: 71, high: 81, page: 3, pages: 1 }]],
    ['have one range for consecutive pages', { gaps: [gap, { ...gap, page: 4 }] }, [{ low: 71, high: 81, page: 3, pages: 2 }]],
    ['have all lower ids at the end', { gaps: [UNREAD] }, [{ low: 0, high: 81, page: 3, pages: 1 }]],
    ['have no ids without order if none is unread', { gaps: [SKIPPED], isOrdered: false }, []],
    ['have any id without order', { gaps: [gap], isOrdered: false }, [ANY]],
  ])('%s', (_, walk, ranges) => expect(unreadRanges({ ...NONE, ...walk })).toEqual(ranges));

  it.each([
    ['are full if there is another behind them', { page: 3, pages: 2 }, 20],
    ['are full even if the count ends before them', { page: 6, pages: 1 }, 10],
    ['have the rest at the end', { low: 0, page: 4, pages: 2 }, 17],
    ['have no more than fits, although the count is higher', { low: 0, page: 2, pages: 1 }, 10],
    ['can be full at the end if the count does not include them', { low: 0, page: 6, pages: 1 }, 10],
    ['have all records without order', ANY, 47],
  ])('%s', (_, range, records) => expect(recordsIn({ low: 71, high: 81, ...range }, 10, 47)).toBe(records));
});
