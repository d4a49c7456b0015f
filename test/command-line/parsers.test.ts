import { expect, it } from 'vitest';
import { partName } from '../../src/command-line/parsers.ts';

it.each(['run/part-0.ndjson', 's3://bucket/part-0.ndjson.gz', 'S3://bucket/run 1/part-0.ndjson'])('a part can have the name %s', (name) => {
  expect(partName(name)).toBe(name);
});

it.each(['part.json', 's3://bucket.ndjson', 's3:///part.ndjson', 'https://host/part.ndjson'])('a part cannot have the name %s', (name) => {
  expect(() => partName(name)).toThrow();
});
