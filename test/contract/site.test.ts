import { describe, expect, it } from 'vitest';
import { isBaseUrl, parseBaseUrl } from '../../src/contract/site.ts';

describe('a base URL', () => {
  it.each([
    ['https://example.org', 'https://example.org'],
    ['https://example.org/', 'https://example.org'],
    ['https://example.org/api', 'https://example.org/api'],
    ['https://example.org/api//', 'https://example.org/api'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://EXAMPLE.org:443/A', 'https://example.org/A'],
  ])('%s is %s', (text, url) => expect(parseBaseUrl(text)).toBe(url));

  it.each([
    '',
    'example.org',
    '/api',
    'ftp://example.org',
    'https://',
    'https://example.org/?a=1',
    'https://example.org/#x',
    'https://example.org?',
    'https://me:pw@example.org',
    'javascript:alert(1)',
  ])('%j is none', (text) => expect(() => parseBaseUrl(text)).toThrow(expect.objectContaining({ code: 'usage' })));

  it('suggests the scheme that was left out', () => {
    expect(() => parseBaseUrl('example.org/api')).toThrow(expect.objectContaining({ hint: 'write https://example.org/api' }));
  });

  it.each([
    ['https://example.org/rest', 'https://example.org'],
    ['https://example.org/rest/', 'https://example.org'],
    ['https://example.org/api/rest//', 'https://example.org/api'],
    ['https://example.org/rest/data', 'https://example.org'],
    ['https://example.org/api//rest/account/', 'https://example.org/api'],
    ['https://example.org/rest/data/?page=2', 'https://example.org'],
    ['https://example.org/api/?page=2', 'https://example.org/api'],
    ['https://example.org/api#top', 'https://example.org/api'],
    ['https://me:pw@example.org/api', 'https://example.org/api'],
    ['https://example.org/rest/data/page/last/index.json', 'https://example.org'],
    ['https://example.org/rest/account/index.json', 'https://example.org'],
  ])('%s is refused, and %s suggested', (text, meant) => {
    expect(() => parseBaseUrl(text)).toThrow(
      expect.objectContaining({ code: 'usage', hint: expect.stringContaining(`did you mean ${meant}?`) }),
    );
  });

  it.each(['https://example.org/interest', 'https://example.org/rest-api', 'https://example.org/rest/history', 'https://rest.example'])(
    '%s is a base URL, although it has rest in it',
    (text) => expect(parseBaseUrl(text)).toBe(text),
  );

  it('is not shown with its password', () => {
    expect(() => parseBaseUrl('https://me:pw@example.org')).toThrow(
      expect.objectContaining({ message: '"https://…@example.org" cannot be a base URL', found: 'a user name or password' }),
    );
  });

  it('in a tree that an earlier release built for a path that ends in rest is still a base URL', () => {
    expect(
      ['https://example.org/rest', 'https://example.org', 'https://example.org/', 'https://example.org?', 'x', ''].map(isBaseUrl),
    ).toEqual([true, true, false, false, false, false]);
  });
});
