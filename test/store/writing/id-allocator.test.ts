import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { timestampOf } from '../../../src/contract/instant.ts';
import { encodeRecord } from '../../../src/contract/record.ts';
import { Batch } from '../../../src/store/writing/batch.ts';
import { IdAllocator } from '../../../src/store/writing/id-allocator.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** Returns an allocator for a store with records of these ids and times. */
function allocatorBeside(...existing: readonly (readonly [id: number, instant: number])[]): IdAllocator {
  const batch = new Batch(join(temporaryFolder(), 'store.db'), 'by account');
  onTestFinished(() => batch.end());
  const account = batch.ensureAccount('jack');
  const add = batch.database.prepare('INSERT INTO record (id, account, json) VALUES (?, ?, ?)');
  for (const [id, instant] of existing) {
    const record = { account: 'jack', data_type: 'Bio', previous: null, text: '', diff_html: '', web_archive_url: null } as const;
    add.run(id, account, encodeRecord({ ...record, id, first_encountered_date: timestampOf(instant) }));
  }
  return new IdAllocator(batch.database);
}

const LAST = Number.MAX_SAFE_INTEGER;

describe('new ids', () => {
  it('begin at the microseconds of the instant and ascend', () => {
    const ids = allocatorBeside();
    expect(ids.allocate(5000, 3)).toEqual([5000, 5001, 5002]);
    expect(ids.allocate(5000, 2)).toEqual([5003, 5004]);
    expect(ids.allocate(5001, 1)).toEqual([5005]);
    expect(ids.allocate(6000, 1)).toEqual([6000]);
    expect(ids.allocate(7000, 0)).toEqual([]);
    expect(ids.allocate(0, 0)).toEqual([]);
  });

  it('range from 0 to the greatest safe integer', () => {
    expect(allocatorBeside().allocate(0, 2)).toEqual([0, 1]);
    expect(allocatorBeside().allocate(LAST, 1)).toEqual([LAST]);
    expect(allocatorBeside().allocate(LAST, 2)).toBeUndefined();
  });

  it('are allocated completely or not at all', () => {
    const ids = allocatorBeside([LAST - 2, 10]);
    expect(ids.allocate(20, 3)).toBeUndefined();
    expect(ids.allocate(20, 2)).toEqual([LAST - 1, LAST]);
    expect(ids.allocate(30, 1)).toBeUndefined();
  });

  it('follow a record with a higher id that is not younger', () => {
    expect(allocatorBeside([9000, 400]).allocate(500, 2)).toEqual([9001, 9002]);
    expect(allocatorBeside([9000, 500]).allocate(500, 2)).toEqual([9001, 9002]);
  });

  it('precede younger records if there is room', () => {
    const ids = allocatorBeside([100, 100], [9000, 9000]);
    expect(ids.allocate(500, 2)).toEqual([500, 501]);
    expect(ids.allocate(500, 1)).toEqual([502]);
    expect(ids.allocate(600, 1)).toEqual([600]);
    expect(ids.allocate(9500, 1)).toEqual([9500]);
  });

  it('skip any number of taken ids', () => {
    const many = Array.from({ length: 2500 }, (_, index) => [500 + index, 500] as const);
    expect(allocatorBeside(...many, [90_000, 90_000]).allocate(500, 2)).toEqual([3000, 3001]);
    expect(allocatorBeside(...many.slice(0, 1000), [1500, 500], [90_000, 90_000]).allocate(500, 2)).toEqual([1501, 1502]);
    expect(allocatorBeside([500, 500], [502, 500], [90_000, 90_000]).allocate(500, 2)).toEqual([501, 503]);
  });

  it('are refused if the order by id would differ from the order by date', () => {
    expect(allocatorBeside([7, 9000]).allocate(500, 1)).toBeUndefined();
    expect(allocatorBeside([7, 9000], [10_000, 9500]).allocate(500, 1)).toBeUndefined();
    expect(allocatorBeside([501, 600], [9000, 9000]).allocate(500, 1)).toEqual([500]);
    expect(allocatorBeside([501, 600], [9000, 9000]).allocate(500, 2)).toBeUndefined();
    expect(allocatorBeside([600, 400], [9000, 9000]).allocate(500, 1)).toBeUndefined();
  });
});
