import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucketOf, MultisetHash } from '../../src/verify/pages/multiset-hash.ts';
import { hostileText } from '../support/histories.ts';
import { times } from '../support/proof.ts';

/** The number of records in one bucket. */
const MANY = times('records in one bucket', 30_000, 300_000);

interface Entry {
  readonly id: number;
  readonly json: string;
}

const entry: fc.Arbitrary<Entry> = fc.record({
  // many ids that share a bucket
  id: fc.oneof(
    fc.nat({ max: 5 }).map((n) => n * 65_536 + 3),
    fc.maxSafeNat(),
  ),
  json: fc.oneof(hostileText, fc.constantFrom('{"id":1}', '{"id":2}')),
});

function hashOfAll(all: Iterable<Entry>): MultisetHash {
  const hash = new MultisetHash();
  for (const { id, json } of all) hash.add(id, json);
  return hash;
}

describe('MultisetHash', () => {
  test('is equal for the same records in any order, and differs in the bucket of one more', () => {
    const lists = fc
      .array(entry, { maxLength: 40 })
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), entry));
    fc.assert(
      fc.property(lists, ([all, shuffled, more]) => {
        expect(hashOfAll(all).differences(hashOfAll(shuffled))).toEqual([]);
        expect(hashOfAll([...all, more]).differences(hashOfAll(shuffled))).toEqual([bucketOf(more.id)]);
        expect(hashOfAll(shuffled).differences(hashOfAll([...all, more]))).toEqual([bucketOf(more.id)]);
      }),
    );
  });

  test('differs if one character of a record differs, or if a record is added twice or under another id', () => {
    const [one, other] = [
      { id: 7, json: 'x' },
      { id: 8, json: 'x' },
    ];
    expect(hashOfAll([one]).differences(hashOfAll([{ id: 7, json: 'y' }]))).toEqual([7]);
    expect(hashOfAll([one]).differences(hashOfAll([one, one]))).toEqual([7]);
    expect(hashOfAll([one]).differences(hashOfAll([other]))).toEqual([7, 8]);
  });

  test('differs if two records of a bucket exchange their texts', () => {
    // the sum of both CRC-32 is the same before and after the exchange
    const records = (one: string, other: string) => [
      { id: 3, json: `{"id":3,"text":"${one}"}` },
      { id: 65_539, json: `{"id":65539,"text":"${other}"}` },
    ];
    expect(hashOfAll(records('1460', '4981')).differences(hashOfAll(records('4981', '1460')))).toEqual([3]);
  });

  test('stays exact with many records in one bucket', () => {
    const all = Array.from({ length: MANY }, (_, n) => ({ id: 5, json: `{"n":${n}}` }));
    const reversed = hashOfAll(all.toReversed());
    expect(hashOfAll(all).differences(reversed)).toEqual([]);
    reversed.add(5, '');
    expect(hashOfAll(all).differences(reversed)).toEqual([5]);
  });

  test('has 65,536 buckets, and one bucket for every id', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (id) => {
        const bucket = bucketOf(id);
        expect(Number.isInteger(bucket) && bucket >= 0 && bucket < 65_536).toBe(true);
        expect(new MultisetHash().differences(hashOfAll([{ id, json: '' }]))).toEqual([bucket]);
      }),
    );
    expect(new Set(Array.from({ length: 65_536 }, (_, id) => bucketOf(id))).size).toBe(65_536);
  });
});
