import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { timestampOf } from '../../src/contract/instant.ts';
import { encodeRecord } from '../../src/contract/record.ts';
import { Batch } from '../../src/store/batch.ts';
import { IdAllocator } from '../../src/store/id-allocator.ts';
import { temporaryFolder } from '../support/folder.ts';

/** New ids for a store that holds records with these ids and moments. */
function idsBeside(...held: readonly (readonly [id: number, moment: number])[]): IdAllocator {
  const batch = new Batch(join(temporaryFolder(), 'store.db'), 'by account');
  onTestFinished(() => batch.end());
  batch.ensureAccount('jack');
  const add = batch.database.prepare('INSERT INTO record (id, json) VALUES (?, ?)');
  for (const [id, moment] of held) {
    const record = { account: 'jack', data_type: 'Bio', previous: null, text: '', diff_html: '', web_archive_url: null } as const;
    add.run(id, encodeRecord({ ...record, id, first_encountered_date: timestampOf(moment) }));
  }
  return new IdAllocator(batch.database);
}

const LAST = Number.MAX_SAFE_INTEGER;

describe('new ids', () => {
  it('begin at the moment, and go on from there', () => {
    const ids = idsBeside();
    expect(ids.allocate(5000, 3)).toEqual([5000, 5001, 5002]);
    expect(ids.allocate(5000, 2)).toEqual([5003, 5004]);
    expect(ids.allocate(5001, 1)).toEqual([5005]);
    expect(ids.allocate(6000, 1)).toEqual([6000]);
    expect(ids.allocate(7000, 0)).toEqual([]);
    expect(ids.allocate(0, 0)).toEqual([]);
  });

  it('may be 0, and the greatest that there is', () => {
    expect(idsBeside().allocate(0, 2)).toEqual([0, 1]);
    expect(idsBeside().allocate(LAST, 1)).toEqual([LAST]);
    expect(idsBeside().allocate(LAST, 2)).toBeUndefined();
  });

  it('are all given or none', () => {
    const ids = idsBeside([LAST - 2, 10]);
    expect(ids.allocate(20, 3)).toBeUndefined();
    expect(ids.allocate(20, 2)).toEqual([LAST - 1, LAST]);
    expect(ids.allocate(30, 1)).toBeUndefined();
  });

  it('lie behind a record with a higher id that is no younger', () => {
    expect(idsBeside([9000, 400]).allocate(500, 2)).toEqual([9001, 9002]);
    expect(idsBeside([9000, 500]).allocate(500, 2)).toEqual([9001, 9002]);
  });

  it('lie before younger records, where there is room', () => {
    const ids = idsBeside([100, 100], [9000, 9000]);
    expect(ids.allocate(500, 2)).toEqual([500, 501]);
    expect(ids.allocate(500, 1)).toEqual([502]);
    expect(ids.allocate(600, 1)).toEqual([600]);
    expect(ids.allocate(9500, 1)).toEqual([9500]);
  });

  it('pass over those that are taken, however many', () => {
    const many = Array.from({ length: 2500 }, (_, index) => [500 + index, 500] as const);
    expect(idsBeside(...many, [90_000, 90_000]).allocate(500, 2)).toEqual([3000, 3001]);
    expect(idsBeside(...many.slice(0, 1000), [1500, 500], [90_000, 90_000]).allocate(500, 2)).toEqual([1501, 1502]);
    expect(idsBeside([500, 500], [502, 500], [90_000, 90_000]).allocate(500, 2)).toEqual([501, 503]);
  });

  it('are none where an older one would stand behind a younger, or a younger before an older', () => {
    expect(idsBeside([7, 9000]).allocate(500, 1)).toBeUndefined();
    expect(idsBeside([7, 9000], [10_000, 9500]).allocate(500, 1)).toBeUndefined();
    expect(idsBeside([501, 600], [9000, 9000]).allocate(500, 1)).toEqual([500]);
    expect(idsBeside([501, 600], [9000, 9000]).allocate(500, 2)).toBeUndefined();
    expect(idsBeside([600, 400], [9000, 9000]).allocate(500, 1)).toBeUndefined();
  });
});
