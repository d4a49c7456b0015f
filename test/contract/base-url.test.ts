import { describe, expect, it } from 'vitest';
import { isBaseUrl, isLoopback, localLinks, otherBaseUrl, parseBaseUrl } from '../../src/contract/base-url.ts';

describe('parseBaseUrl', () => {
  it.each([
    ['https://example.org', 'https://example.org'],
    ['https://example.org/', 'https://example.org'],
    ['https://example.org/api', 'https://example.org/api'],
    ['https://example.org/api//', 'https://example.org/api'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://EXAMPLE.org:443/A', 'https://example.org/A'],
  ])('normalizes %s to %s', (text, url) => expect(parseBaseUrl(text)).toBe(url));

  it.each([
    ['https://example.org/rest', 'https://example.org'],
    ['https://example.org/api//rest/account/', 'https://example.org/api'],
    ['https://example.org/rest/data/?page=2', 'https://example.org'],
    ['https://example.org/api/?page=2', 'https://example.org/api'],
    ['https://me:pw@example.org/api', 'https://example.org/api'],
    ['https://example.org/rest/data/page/last/index.json', 'https://example.org'],
    ['https://example.org/rest//data//page//12//index.json', 'https://example.org'],
    ['https://example.org/rest/account/page', 'https://example.org'],
    ['https://example.org//api///v1/', 'https://example.org/api/v1'],
    ['https://example.org//rest//data/', 'https://example.org'],
  ])('rejects %s and suggests %s', (text, meant) => {
    expect(() => parseBaseUrl(text)).toThrow(
      expect.objectContaining({ code: 'usage', hint: expect.stringContaining(`did you mean ${meant}?`) }),
    );
  });

  it.each(['https://example.org/interest', 'https://example.org/rest-api', 'https://example.org/rest/history', 'https://rest.example'])(
    'accepts %s, although it contains rest',
    (text) => expect(parseBaseUrl(text)).toBe(text),
  );

  it('does not show a password in the error', () => {
    const message = '"https://…@example.org" cannot be a base URL';
    expect(() => parseBaseUrl('https://me:pw@example.org')).toThrow(expect.objectContaining({ message, found: 'a user name or password' }));
  });

  it.each<[boolean, readonly string[]]>([
    [true, ['http://x.example', 'https://x.example/a', 'https://x.example/rest']],
    [false, ['https://x.example/', 'https://x.example/a//', 'https://x.example?', 'shttps://x.example', 'ftp://x.example/a', 'x', '']],
  ])('returns what isBaseUrl accepts, which may also end in rest: %s', (isAccepted, texts) => {
    expect(texts.filter((text) => isBaseUrl(text) !== isAccepted)).toEqual([]);
  });
});

describe('isLoopback', () => {
  it.each([
    'http://127.0.0.1:8080',
    'http://127.1.2.3',
    'http://127.11.22.33',
    'http://2130706433',
    'http://LOCALHOST/api',
    'https://history.localhost:8443',
    'http://localhost.',
    'http://[::1]:80',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:127.11.22.33]',
    'http://0.0.0.0:8080',
    'http://[::]',
  ])('recognizes %s', (url) => expect(isLoopback(parseBaseUrl(url))).toBe(true));

  it.each([
    'https://example.org',
    'http://10.0.0.1',
    'https://localhost.example',
    'http://notlocalhost',
    'http://128.0.0.1',
    'http://[::2]',
    'http://[2001:db8::1]',
  ])('does not take %s for one', (url) => expect(isLoopback(parseBaseUrl(url))).toBe(false));
});

describe('the error for a base URL', () => {
  const FORM = 'give the address below which clients reach rest/, such as https://example.org/api';
  const expected = 'http:// or https://, a host and an optional path, without // in it and without rest/ at its end';
  const place = { field: '--base-url' };

  it.each([
    ['', 'not an address of that form', FORM],
    ['/example.org', 'not an address of that form', FORM],
    ['a b', 'not an address of that form', FORM],
    ['://example.org', 'not an address of that form', FORM],
    ['ftp://example.org', 'not an address of that form', FORM],
    ['https://', 'not an address of that form', FORM],
    ['javascript:alert(1)', 'not an address of that form', FORM],
    ['9.example', 'no https:// or http://', 'write https://9.example'],
    ['X.example/api', 'no https:// or http://', 'write https://X.example/api'],
    ['https://x.example?', 'a query', 'did you mean https://x.example? Links add /rest/data/ to it'],
    ['https://me@x.example', 'a user name or password', 'did you mean https://x.example? Links add /rest/data/ to it'],
    ['https://:pw@x.example', 'a user name or password', 'did you mean https://x.example? Links add /rest/data/ to it'],
    [
      'https://x.example/a/rest/data?b#c',
      'a path that ends in /rest/data, which links would repeat, a query, a fragment',
      'did you mean https://x.example/a? Links add /rest/data/ to it',
    ],
  ])('%j says what was found and what to do', (text, found, hint) => {
    expect(() => parseBaseUrl(text)).toThrow(expect.objectContaining({ place, expected, found, hint }));
  });

  it('names the argument', () => {
    expect(() => parseBaseUrl('', 'URL')).toThrow(expect.objectContaining({ place: { field: 'URL' } }));
  });

  it('of the reader says that the links lead there', () => {
    expect(localLinks('s3://b', 'http://localhost')).toMatchObject({
      code: 'loopback-url',
      message: 'the links in the pages would lead readers of s3://b to their own machines',
      expected: 'a tree that was built with the address of the site',
      found: 'the base URL http://localhost',
      hint: 'build again with the address of the site in --base-url, or publish this tree with --allow-loopback',
    });
  });

  it('at the target says which links would change, unless they lead nobody there', () => {
    expect(otherBaseUrl('s3://b', 'https://old.example', 'https://new.example')).toMatchObject({
      code: 'other-base-url',
      message: 'all links of s3://b would change from https://old.example to https://new.example',
      expected: 'a tree with the base URL https://old.example, as at the target',
      found: 'the base URL https://new.example',
      hint: expect.stringContaining('build again with --base-url https://old.example'),
    });
    const there = [undefined, 'https://new.example', 'http://localhost:8080'];
    expect(there.map((one) => otherBaseUrl('s3://b', one, 'https://new.example'))).toEqual([undefined, undefined, undefined]);
  });
});
