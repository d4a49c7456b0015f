import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { openTarget, parseAddress } from '../../src/storage/address.ts';

describe('an address', () => {
  it.each<[string, string, string, string, string, string]>([
    ['s3://bucket', '', 's3', 'bucket', '', 's3://bucket'],
    ['s3://bucket/', '', 's3', 'bucket', '', 's3://bucket'],
    ['s3://bucket/a//b/', '', 's3', 'bucket', 'a/b/', 's3://bucket/a/b'],
    ['S3://bucket/a', 'b/c', 's3', 'bucket', 'a/b/c/', 's3://bucket/a/b/c'],
    ['az://container/a', '/b/', 'az', 'container', 'a/b/', 'az://container/a/b'],
    ['/var/www', '', '', '/var/www', '', '/var/www'],
    ['/var/www/', 'a', '', '/var/www/', 'a/', '/var/www/a'],
    ['../site', 'a', '', '../site', 'a/', '../site/a'],
    ['C:\\site', '', '', 'C:\\site', '', 'C:\\site'],
  ])('%s with %j is taken apart', (text, more, scheme, container, prefix, name) => {
    const { kind, address } = parseAddress(text, more);
    expect(kind.scheme).toBe(scheme);
    expect(address).toEqual({ container, prefix, name });
  });

  const part = fc.stringMatching(/^[A-Za-z0-9_~-]{1,8}$/);

  it('is the same wherever its prefix stands, and its name leads there again', () => {
    fc.assert(
      fc.property(part, fc.array(part), fc.array(part), fc.constantFrom('s3', 'az'), (bucket, here, there, scheme) => {
        const split = parseAddress(`${scheme}://${[bucket, ...here].join('/')}`, there.join('/')).address;
        expect(split).toEqual(parseAddress(`${scheme}://${[bucket, ...here, ...there].join('/')}`, '').address);
        expect(parseAddress(split.name, '').address).toEqual(split);
        expect(split.prefix).toBe([...here, ...there].map((one) => `${one}/`).join(''));
      }),
    );
  });

  it.each<[string, string]>([
    ['', ''],
    ['s3://', ''],
    ['s3:///a', ''],
    ['ftp://host/a', ''],
    ['https://bucket.example', ''],
    ['s3://key:hush@bucket', ''],
    ['s3://bucket?hush', ''],
    ['s3://bucket/../hush', ''],
    ['s3://bucket/a', '../hush'],
    ['/var/www', 'a/../../hush'],
    ['s3://bucket/a?signature=hush', ''],
    ['s3://bucket', 'a#hush'],
    ['s3://bucket', 'a\\hush'],
  ])('%j with %j is refused without a word of it', (text, more) => {
    const failure = failureOf(() => parseAddress(text, more));
    expect(failure.code).toBe('usage');
    expect(failure.message + failure.expected + failure.found + failure.hint).not.toContain('hush');
  });
});

it.each([
  'store.example',
  'ftp://store.example',
  'https://',
  '',
  'https://hush@store.example',
  'https://:hush@store.example',
  'https://store.example/?signature=hush',
])('the endpoint %j is refused without a word of it', async (endpoint) => {
  const failure: unknown = await openTarget('s3://bucket', '', { endpoint, connections: 1, secrets: {} }).catch((error: unknown) => error);
  if (!(failure instanceof Failure)) throw new Error('it was taken');
  expect(failure.code).toBe('usage');
  expect(failure.expected).toMatch(/^an endpoint /);
  expect(failure.message + failure.expected + failure.found + failure.hint).not.toContain('hush');
});

function failureOf(run: () => unknown): Failure {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error('it was taken');
}
