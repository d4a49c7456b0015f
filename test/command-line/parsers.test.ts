import { expect, it } from 'vitest';
import { duration, partName } from '../../src/command-line/parsers.ts';

it.each(['run/part-0.ndjson', 's3://bucket/part-0.ndjson.gz', 'S3://bucket/run 1/part-0.ndjson'])('a part can have the name %s', (name) => {
  expect(partName(name)).toBe(name);
});

it.each(['part.json', 's3://bucket.ndjson', 's3:///part.ndjson', 'https://host/part.ndjson'])('a part cannot have the name %s', (name) => {
  expect(() => partName(name)).toThrow();
});

it.each([
  ['500ms', 500],
  ['1.5s', 1500],
  ['2m', 120_000],
  ['1h', 3_600_000],
])('a time has a unit: %s', (text, milliseconds) => expect(duration('500ms', '1h')(text)).toBe(milliseconds));

it.each([
  ['30', '30s'],
  ['499ms', 'from 500ms to 1h'],
  ['2h', 'from 500ms to 1h'],
  ['', '30s'],
  ['30 s', '30s'],
  ['30d', '30s'],
  ['-1s', '30s'],
])('a time cannot be %s, and the error says what to write', (text, expected) => {
  expect(() => duration('500ms', '1h')(text)).toThrow(expected);
});
