import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Commit, commitPath, dataPath, encodeCommit, numbered, parseCommit, type Version } from '../../src/versions/commit-format.ts';
import { KIND } from './simulated-publisher.ts';

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
const time = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }).map((date) => date.toISOString());
const number = fc.integer({ min: 1, max: 99_999_998 });

const version: fc.Arbitrary<Version> = fc
  .record({
    number,
    random: digits(12),
    bytes: fc.nat(),
    sha256: digits(64),
    time,
    records: fc.nat(),
    accounts: fc.nat(),
    store: fc.string(),
  })
  .map(({ random, ...fields }) => ({ ...fields, file: dataPath(fields.number, random, '.zip') }));
const commit: fc.Arbitrary<Commit> = fc.record({
  palimpsest: fc.string(),
  kind: fc.constant('site'),
  number,
  token: digits(16),
  time,
  previous: fc.option(digits(64)),
  change: fc.constantFrom('publish', 'rollback', 'keep', 'remove', 'rewrite', 'void', 'repair'),
  base_url: fc.string(),
  versions: fc.array(version, { maxLength: 4 }),
  withdrawn: fc.array(fc.record({ number, time }), { maxLength: 3 }),
});

describe('a commit', () => {
  it('is the same after it is encoded and parsed', () => {
    fc.assert(
      fc.property(commit, (one) => {
        expect(parseCommit(KIND, 'head.json', encodeCommit(one))).toEqual(one);
      }),
    );
  });

  it('is one line of JSON, whose last field is the SHA-256 of the text before it', () => {
    fc.assert(
      fc.property(commit, (one) => {
        const text = encodeCommit(one).toString();
        const { digest } = JSON.parse(text);
        const before = text.slice(0, -`,"digest":"${digest}"}\n`.length);
        expect([hash('sha256', before), text.split('\n').length]).toEqual([digest, 2]);
      }),
    );
  });

  it('is not read if any byte of it is changed, added or lost', () => {
    const change = fc.record({
      one: commit,
      at: fc.nat(),
      byte: fc.integer({ min: 1, max: 255 }),
      how: fc.constantFrom('change', 'cut', 'add'),
    });
    fc.assert(
      fc.property(change, ({ one, at, byte, how }) => {
        const bytes = encodeCommit(one);
        const place = at % bytes.length;
        if (how === 'change') bytes.writeUInt8(bytes.readUInt8(place) ^ byte, place);
        const damaged =
          how === 'cut'
            ? bytes.subarray(0, place)
            : how === 'add'
              ? Buffer.concat([bytes.subarray(0, place), Buffer.of(byte), bytes.subarray(place)])
              : bytes;
        expect(parseCommit(KIND, 'head.json', damaged)).toBeUndefined();
      }),
    );
  });

  it('is refused if it is of another kind, or has fields of another release', () => {
    const [one] = fc.sample(commit, 1);
    if (one === undefined) throw new Error('no sample');
    expect(() => parseCommit(KIND, 'head.json', encodeCommit({ ...one, kind: 'store' }))).toThrow(
      expect.objectContaining({ code: 'other-form' }),
    );
    const versions = [{ ...fc.sample(version, 1)[0], color: 'red' }] as unknown as Version[];
    expect(() => parseCommit(KIND, 'head.json', encodeCommit({ ...one, versions }))).toThrow(expect.objectContaining({ code: 'not-ours' }));
  });

  it('comes after the data of its number in a listing, and before that of the next', () => {
    fc.assert(
      fc.property(number, digits(12), (some, random) => {
        const [data, own] = [dataPath(some, random, '.zip'), commitPath(some)];
        expect(data < own && own < dataPath(some + 1, random, '.zip')).toBe(true);
        expect([numbered(data), numbered(own), numbered(`${own}.${random}.partial`)]).toEqual([
          { number: some, isCommit: false },
          { number: some, isCommit: true },
          { number: some, isCommit: false },
        ]);
      }),
    );
  });
});
