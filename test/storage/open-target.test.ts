import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/contract/failure.ts';
import { openTarget, parseAddress } from '../../src/storage/open-target.ts';

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
    ['./s3:', '', '', './s3:', '', './s3:'],
    ['./a:b/c', '', '', './a:b/c', '', './a:b/c'],
    ['/var/a:b', '', '', '/var/a:b', '', '/var/a:b'],
    ['site//deep', '', '', 'site//deep', '', 'site//deep'],
    ['s3/bucket', '', '', 's3/bucket', '', 's3/bucket'],
  ])('%s with prefix %j is parsed', (text, more, scheme, container, prefix, name) => {
    const { kind, address } = parseAddress(text, more);
    expect(kind.scheme).toBe(scheme);
    expect(address).toEqual({ container, prefix, name });
  });

  it('with a drive letter is a path only on Windows', () => {
    for (const text of ['C:\\site', 'c:/site', 'C:']) {
      expect(parseAddress(text, '', 'win32').address.container).toBe(text);
      expect(failureOf(() => parseAddress(text, '', 'linux')).code).toBe('usage');
    }
  });

  it.each([
    ['s3:/bucket/site', 'did you mean s3://bucket/site?'],
    ['S3:bucket', 'did you mean s3://bucket?'],
    ['s3:\\\\bucket\\site', 'did you mean s3://…?'],
    ['s3//bucket', 'did you mean s3://bucket?'],
    ['s3:', 'did you mean s3://…?'],
    ['s3a://bucket/x', 'did you mean s3://bucket/x?'],
    ['az:/container', 'did you mean az://container?'],
    ['azure://container', 'did you mean az://container?'],
    ['gs://bucket/x', 'did you mean s3://bucket/x with --endpoint https://storage.googleapis.com?'],
    ['https://bucket.example/x', 'its host with --endpoint'],
    ['https:/bucket.example/x', 'its host with --endpoint'],
    ['https//bucket.example/x', 'its host with --endpoint'],
    ['file:///var/www', 'did you mean /var/www?'],
    ['file:/var/www', 'did you mean /var/www?'],
    ['user@host:/var/www', 'the path of a folder'],
    ['host:/var/www', 'the path of a folder'],
    ['notes:old/site', './name:'],
    ['s3:hush:hush@bucket', 'did you mean s3://…?'],
  ])('%s is rejected as a mistake: %s', (text, hint) => {
    for (const platform of ['linux', 'win32']) {
      const failure = failureOf(() => parseAddress(text, '', platform));
      expect(failure).toMatchObject({ code: 'usage', hint: expect.stringContaining(hint) });
      expect(failure.hint).not.toContain('hush');
    }
  });

  const part = fc.stringMatching(/^[A-Za-z0-9_~-]{1,8}$/);

  it('is the same however its prefix is divided, and its name parses to the same address', () => {
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
  ])('%j with prefix %j is rejected and not repeated in the error', (text, more) => {
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
])('rejects the endpoint %j and does not repeat it in the error', async (endpoint) => {
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
