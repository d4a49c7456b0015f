import { describe, expect, it } from 'vitest';
import { type Gap, unreadRanges, unreadRecords } from '../../../src/mirror/walk/gaps.ts';

const NONE: { readonly gaps: readonly Gap[]; readonly isOrdered: boolean } = { gaps: [], isOrdered: true };
const UNREAD: Gap = { page: 3, reason: 'status 500', newer: 81, older: null };
const SKIPPED: Gap = { page: 2, reason: null, newer: 91, older: 90 };
const gap: Gap = { ...UNREAD, older: 70 };

describe('pages of the feed that could not be read', () => {
  it.each<readonly [string, Partial<typeof NONE>, readonly object[]]>([
    ['have no ids if there are none', { gaps: [SKIPPED] }, []],
    ['have the ids between the pages around them', { gaps: [SKIPPED, gap] }, [{ low: 71, high: 81 }]],
    ['have one range for consecutive pages', { gaps: [gap, { ...gap, page: 4 }] }, [{ low: 71, high: 81 }]],
    ['have all lower ids at the end', { gaps: [UNREAD] }, [{ low: 0, high: 81 }]],
    ['have no ids without order if none is unread', { gaps: [SKIPPED], isOrdered: false }, []],
    ['have any id without order', { gaps: [gap], isOrdered: false }, [{ low: 0, high: Number.MAX_SAFE_INTEGER + 1 }]],
  ])('%s', (_, walk, ranges) => expect(unreadRanges({ ...NONE, ...walk })).toEqual(ranges));

  it.each<readonly [string, Partial<typeof NONE>, number]>([
    ['nothing if there are none', { gaps: [SKIPPED] }, 0],
    ['a full page each', { gaps: [SKIPPED, gap, { ...gap, page: 4 }] }, 20],
    ['the rest on the last page', { gaps: [{ ...gap, page: 5 }] }, 7],
    ['a full page behind the last page that is counted', { gaps: [{ ...gap, page: 6 }] }, 10],
    ['anything without order', { gaps: [gap], isOrdered: false }, 47],
  ])('have %s', (_, walk, records) => expect(unreadRecords({ ...NONE, ...walk }, 10, 47)).toBe(records));
});
