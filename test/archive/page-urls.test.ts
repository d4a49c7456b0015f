import fc from 'fast-check';
import { expect, it } from 'vitest';
import { getSurt } from 'warcio';
import { surt } from '../../src/archive/page-urls.ts';

const host = fc.constantFrom('history.example', 'www.history.example', 'www2.History.example:8080', '127.0.0.1:8080', '[::1]:443');
const path = fc.array(fc.constantFrom('rest', 'Data', '%C3%A9', 'é', 'a b', '..', ''));
const query = fc.array(fc.constantFrom('page=2', 'as_of=1', 'Page=10', 'a', '', '=')).map((parts) => parts.join('&'));
const url = fc.tuple(fc.constantFrom('http', 'https'), host, path, fc.option(query)).map(([scheme, name, parts, parameters]) => {
  return `${scheme}://${name}/${parts.join('/')}${parameters === null ? '' : `?${parameters}`}`;
});

it('makes the keys of warcio, which readers of archives use', () => {
  fc.assert(
    fc.property(url, (address) => {
      expect(surt(address)).toBe(getSurt(address));
    }),
  );
});
