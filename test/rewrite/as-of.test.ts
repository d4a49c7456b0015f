import { describe, expect, it } from 'vitest';
import { versionAt } from '../../src/rewrite/as-of.ts';
import { COLLECTION_HEADERS } from '../../src/rewrite/resolve.ts';

const VERSIONS = [
  { number: 1, time: '2026-11-20T03:00:00.000Z' },
  { number: 2, time: '2026-11-22T03:00:00Z' },
];

describe('as_of', () => {
  it.each([
    [undefined, 2],
    ['1', 1],
    ['2', 2],
    ['2026-11-21', 1],
    ['2026-11-23', 2],
    ['2026-11-20T03:00Z', 1],
    ['2026-11-20T03:00:00Z', 1],
    ['2026-11-22T02:59:59.9999Z', 1],
    ['2026-11-22T03:00:00.0Z', 2],
    ['2026-11-22T04:00+01:00', 2],
    ['2026-11-22T03:59+01:00', 1],
    ['2026-11-22T01:30:00-01:30', 2],
    ['2026-11-22T01:29:00-01:30', 1],
    ['2026-11-23T02:29+23:30', 1],
    ['2026-11-23T02:30+23:30', 2],
  ])('%s selects version %s', (asOf, number) => expect(versionAt(VERSIONS, asOf)).toBe(VERSIONS[number - 1]));

  it.each(['0', '3', '999999999999999', '2026-11-20', '2026-11-20T02:59:59.999Z', '2026-11-20T03:00+00:01'])('%s selects none', (asOf) => {
    expect(versionAt(VERSIONS, asOf)).toEqual({
      status: 404,
      headers: COLLECTION_HEADERS,
      body: '{"detail":"No such version. as_of is the number of a version, or a date or time that is not before all versions."}',
    });
  });

  it.each([
    ...['', 'x', 'a1', '1a', '-1', '1.0', '1234567890123456', '2026-02-30', '2026-13-01', 'a2026-11-20', '2026-11-20a', '26-11-20'],
    ...['2026-11-20T03:00', '2026-11-20T03:00:00', '2026-11-20T03Z', '2026-11-20 03:00Z', '2026-11-20T03:00.5Z', '2026-11-20T24:00Z'],
    ...['2026-11-20T03:60Z', '2026-11-20T03:00:60Z', '2026-11-20T03:00:00.Z', '2026-11-20T03:00:00.1234567890Z', '2026-11-20T03:00z'],
    ...['2026-11-20T03:00+24:00', '2026-11-20T03:00+01:60', '2026-11-20T03:00+0100', '2026-11-20T03:00Z+01:00', '2026-11-20T03:0xZ'],
  ])('%j is not valid', (asOf) => {
    expect(versionAt(VERSIONS, asOf)).toEqual({
      status: 400,
      headers: COLLECTION_HEADERS,
      body: '{"detail":"Invalid as_of. It is a number of a version, a date as 2026-11-20, or a time as 2026-11-20T03:00:00Z."}',
    });
  });
});
