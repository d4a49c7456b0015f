import { describe, expect, it } from 'vitest';
import { parseBaseUrl } from '../../src/contract/site.ts';

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
});
