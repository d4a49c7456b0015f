import { expect, it } from 'vitest';
import { checkNext, redirectsWithin } from '../../src/mirror/page-link.ts';

const BASE = 'https://history.example/api';
/** Checks the link on page 1. */
const check = (next: string) => checkNext(BASE, 'data', 1, next);
const refused = (found: string) => expect.objectContaining({ code: 'bad-service', found });

it.each([
  ['is absolute', `${BASE}/rest/data/?page=2`],
  ['is relative', '?page=2'],
  ['has other parameters', `${BASE}/rest/data/?a=1&page=2`],
  ['is of HTTP behind a TLS proxy', 'http://history.example/api/rest/data/?page=2'],
])('a next that %s is followed', (_, next) => {
  expect(() => check(next)).not.toThrow();
});

it.each([
  ['leaves the origin', 'https://other.example/api/rest/data/?page=2', 'another origin'],
  ['is no address', 'https://', 'another origin'],
  ['is a file', 'file:///etc/passwd', 'another origin'],
  ['leaves the base path', 'https://history.example/rest/data/?page=2', 'another path'],
  ['leads to the other collection', `${BASE}/rest/account/?page=2`, 'another path'],
  ['loops', `${BASE}/rest/data/?page=1`, 'page 1: a loop'],
  ['has no page', `${BASE}/rest/data/`, 'page none: a loop'],
  ['skips pages', `${BASE}/rest/data/?page=9`, 'page 9'],
])('a next that %s is refused, with its address', (_, next, found) => {
  expect(() => check(next)).toThrow(refused(found));
  expect(() => check(next)).toThrow(expect.objectContaining({ place: { file: next, field: 'next' } }));
  // without rest/, which no base URL has
  const hint = expect.stringMatching(/^(report this|mirror https:\/\/\w+\.example(\/api)? )/);
  expect(() => check(next)).toThrow(expect.objectContaining({ hint }));
});

it.each([
  ['/rest/data/?page=8', 'https://new.example/rest/data/?page=8', 'mirror https://new.example if that is the service'],
  ['/rest/data/?page=8', 'https://new.example/v2/rest/account/', 'mirror https://new.example/v2 if that is the service'],
  ['/build.json', 'https://history.example/moved/build.json', 'mirror https://history.example/moved if that is the service'],
  ['/build.json', 'https://new.example/', 'mirror https://new.example if that is the service'],
  ['/rest/data/', 'https://', 'report this to the operator of the service'],
])('a redirect of %s to %s is refused, with the base URL to mirror', (path, location, hint) => {
  const to = URL.canParse(location) ? new URL(location) : undefined;
  const follow = () => redirectsWithin(BASE)({ from: BASE + path, to, location, isTooMany: false });
  expect(follow).toThrow(expect.objectContaining({ code: 'bad-service', found: location, hint }));
});
