import { describe, expect, it } from 'vitest';
import type { FormerHandle } from '../../src/contract/accounts/account-state.ts';
import { parseInstant } from '../../src/contract/instant.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';
import { timeline } from '../../src/history/timeline.ts';
import { bioRecord } from '../support/bio-record.ts';

const record = (id: number, date: string): ChangeRecord => ({ ...bioRecord(id, { first_encountered_date: date }), data_type: 'Bio' });

function former(handle: string, time: string): FormerHandle {
  return { handle, seen_to: parseInstant(time) ?? Number.NaN };
}

function shown(records: readonly ChangeRecord[], handles: readonly FormerHandle[]): (number | string)[] {
  return [...timeline(records, handles)].map((entry) => ('former' in entry ? entry.former.handle : entry.record.id));
}

const RECORDS = [record(3, '2020-03-01T00:00:00Z'), record(2, '2020-02-01T00:00:00Z'), record(1, '2020-01-01T00:00:00Z')];

describe('timeline', () => {
  it('places a rename between the changes before and after it', () => {
    expect(shown(RECORDS, [former('a', '2020-01-15T00:00:00Z'), former('b', '2020-02-15T00:00:00Z')])).toEqual([3, 'b', 2, 'a', 1]);
  });

  it('places a rename after a change of the last instant with the former handle', () => {
    expect(shown(RECORDS, [former('a', '2020-02-01T00:00:00Z')])).toEqual([3, 'a', 2, 1]);
  });

  it('keeps renames before the first change, after the last change, and without any change', () => {
    const handles = [former('a', '2019-01-01T00:00:00Z'), former('b', '2021-01-01T00:00:00Z')];
    expect(shown(RECORDS, handles)).toEqual(['b', 3, 2, 1, 'a']);
    expect(shown([], handles)).toEqual(['b', 'a']);
  });
});
