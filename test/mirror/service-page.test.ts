import { expect, it } from 'vitest';
import { hint, suggested } from '../../src/contract/hint.ts';
import { BadResponse } from '../../src/http/http-client.ts';
import { checkNext, checkPrevious, redirectsWithin } from '../../src/mirror/service-page.ts';

const BASE = 'https://history.example/api';
/** Checks the link on page 1. */
const check = (next: string) => checkNext(BASE, 'data', 1, next);

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
])('a next that %s is refused on page 1, with the address of the page, and is a bad answer on others', (_, next, place) => {
  const found = `${place}: ${next}`;
  expect(() => check(next)).toThrow(expect.objectContaining({ code: 'bad-service', found }));
  expect(() => check(next)).toThrow(expect.objectContaining({ place: { file: `${BASE}/rest/data/`, field: 'next' } }));
  expect(() => check(next)).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/^(report this|if the service has moved there, run )/) }),
  );
  expect(() => checkNext(BASE, 'data', 2, next)).toThrow(new BadResponse(`next leads to ${found}`));
});

it.each([
  ['loops', `${BASE}/rest/data/?page=1`, '1'],
  ['has no page', `${BASE}/rest/data/`, '1'],
  ['skips pages', `${BASE}/rest/data/?page=9`, '9'],
])('a next that %s is a bad answer', (_, next, page) => {
  expect(() => check(next)).toThrow(new BadResponse(`next leads to page ${page}, expected page 2`));
});

it.each([
  [1, `${BASE}/rest/data/`],
  [2, `${BASE}/rest/data/`],
  [3, `?page=2`],
  [3, 'https://'],
])('page %d may have the previous %s', (page, previous) => {
  expect(() => checkPrevious(page, previous)).not.toThrow();
});

it.each([
  [1, `${BASE}/rest/data/?page=4`, 4, 1],
  [3, `${BASE}/rest/data/`, 1, 2],
])('page %d with the previous %s is a bad answer', (page, previous, found, expected) => {
  expect(() => checkPrevious(page, previous)).toThrow(new BadResponse(`previous leads to page ${found}, expected page ${expected}`));
});

it.each([
  [
    '/rest/data/?page=8',
    'https://new.example/rest/data/?page=8',
    hint`if the service has moved there, run ${suggested('mirror', {}, ['https://new.example'])}`,
  ],
  [
    '/rest/data/?page=8',
    'https://new.example/v2/rest/account/',
    hint`if the service has moved there, run ${suggested('mirror', {}, ['https://new.example/v2'])}`,
  ],
  [
    '/build.json',
    'https://history.example/moved/build.json',
    hint`if the service has moved there, run ${suggested('mirror', {}, ['https://history.example/moved'])}`,
  ],
  ['/build.json', 'https://new.example/', hint`if the service has moved there, run ${suggested('mirror', {}, ['https://new.example'])}`],
  ['/rest/data/', 'https://', 'report this to the operator of the service'],
])('a redirect of %s to %s is refused, with the base URL to mirror', (path, location, advice) => {
  const to = URL.canParse(location) ? new URL(location) : undefined;
  const follow = () => redirectsWithin(BASE)({ from: BASE + path, to, location, isTooMany: false });
  expect(follow).toThrow(expect.objectContaining({ code: 'bad-service', found: location, hintParts: advice }));
});
