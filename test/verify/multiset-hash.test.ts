import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucketOf, MultisetHash } from '../../src/verify/multiset-hash.ts';
import { hostileText } from '../support/histories.ts';

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
const entries = fc.array(entry, { maxLength: 40 });

function hashOfAll(all: Iterable<Entry>): MultisetHash {
  const hash = new MultisetHash();
  for (const { id, json } of all) hash.add(id, json);
  return hash;
}

describe('MultisetHash', () => {
  test('is equal for the same records in any order', () => {
    const shuffled = entries.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        expect(hashOfAll(all).differences(hashOfAll(other))).toEqual([]);
      }),
    );
  });

  test('differs in the bucket of a missing record', () => {
    fc.assert(
      fc.property(entries, entry, fc.nat(), (all, lacking, at) => {
        const place = at % (all.length + 1);
        const more = [...all.slice(0, place), lacking, ...all.slice(place)];
        expect(hashOfAll(all).differences(hashOfAll(more))).toEqual([bucketOf(lacking.id)]);
        expect(hashOfAll(more).differences(hashOfAll(all))).toEqual([bucketOf(lacking.id)]);
      }),
    );
  });

  test('differs in the bucket of a record with one other character', () => {
    const changed = fc.tuple(entries, fc.maxSafeNat(), fc.string({ unit: 'binary', minLength: 1 }), fc.nat(), fc.nat({ max: 0xffff }));
    fc.assert(
      fc.property(changed, ([all, id, json, at, code]) => {
        const place = at % json.length;
        const other = json.slice(0, place) + String.fromCharCode(code) + json.slice(place + 1);
        const expected = json === other ? [] : [bucketOf(id)];
        expect(hashOfAll([...all, { id, json }]).differences(hashOfAll([...all, { id, json: other }]))).toEqual(expected);
      }),
    );
  });

  test('differs if a record is added twice or under another id', () => {
    const [one, other] = [
      { id: 7, json: 'x' },
      { id: 8, json: 'x' },
    ];
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

  test('lists all differing buckets in ascending order', () => {
    const all = Array.from({ length: 1000 }, (_, id) => ({ id: id * 61, json: `{"id":${id}}` }));
    const without = all.filter(({ id }) => id % 2 === 0);
    const gone = all.filter(({ id }) => id % 2 !== 0).map(({ id }) => bucketOf(id));
    expect(hashOfAll(all).differences(hashOfAll(without))).toEqual(gone.sort((a, b) => a - b));
  });

  test('stays exact with 300,000 records in one bucket', () => {
    const [many, reversed] = [new MultisetHash(), new MultisetHash()];
    for (let n = 0; n < 300_000; n += 1) many.add(5, `{"n":${n}}`);
    for (let n = 299_999; n >= 0; n -= 1) reversed.add(5, `{"n":${n}}`);
    expect(many.differences(reversed)).toEqual([]);
    reversed.add(5, '');
    expect(many.differences(reversed)).toEqual([5]);
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
