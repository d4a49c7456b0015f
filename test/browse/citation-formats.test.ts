// cspell:words howpublished textbraceleft textbraceright
import { describe, expect, it } from 'vitest';
import { citationsOf } from '../../src/browse/client/citation-formats.ts';

const CHANGE = {
  url: 'https://history.example/browse/account/62/nina_k.html#r105',
  id: '105',
  title: 'Bio of @nina_k (now @{K}), changed',
  time: '2024-03-05T14:03:09.5Z',
  by: '5 March 2024, 14:03:09 UTC',
  isRename: false,
};
const SITE = { title: 'Press & radio', publisher: 'Archive', base_url: 'https://history.example', fingerprint: 'ab12' };

describe('the citations of a change', () => {
  it('have its permalink, its time, the publisher and the state of the data', () => {
    const { Link, Text, BibTeX, 'CSL-JSON': csl } = Object.fromEntries(citationsOf(SITE, CHANGE));
    expect(Link).toBe(CHANGE.url);
    expect(Text).toBe(
      `Archive. Bio of @nina_k (now @{K}), changed, as first seen on 5 March 2024, 14:03:09 UTC. Press & radio. ${CHANGE.url}. Fingerprint of the data ab12.`,
    );
    expect(BibTeX?.split('\n')).toEqual([
      '@misc{record-105,',
      '  author = {{Archive}},',
      '  title = {Bio of @nina\\_k (now @\\textbraceleft{}K\\textbraceright{}), changed},',
      '  howpublished = {Press \\& radio},',
      '  year = {2024},',
      `  url = {${CHANGE.url}},`,
      '  note = {First seen on 5 March 2024, 14:03:09 UTC. Fingerprint of the data ab12}',
      '}',
    ]);
    expect(JSON.parse(csl ?? '')).toEqual([
      {
        id: 'record-105',
        type: 'webpage',
        title: CHANGE.title,
        'container-title': SITE.title,
        publisher: SITE.publisher,
        author: [{ literal: SITE.publisher }],
        issued: { 'date-parts': [[2024, 3, 5]] },
        URL: CHANGE.url,
        version: 'ab12',
        note: 'First seen on 5 March 2024, 14:03:09 UTC',
      },
    ]);
  });

  it('say of a rename only when the former handle was last seen', () => {
    const rename = { ...CHANGE, id: '1709647389500000', title: 'Rename of @a to @b', isRename: true, after: CHANGE.by, by: undefined };
    const [, text, entry, csl] = citationsOf(SITE, rename).map((citation) => citation[1]);
    expect(text).toBe(
      `Archive. Rename of @a to @b, after 5 March 2024, 14:03:09 UTC. Press & radio. ${CHANGE.url}. Fingerprint of the data ab12.`,
    );
    expect(entry).toMatch(/^@misc\{rename-1709647389500000,\n[\s\S]*note = \{Renamed after 5 March 2024, 14:03:09 UTC\. /);
    // it can have been in a later year
    expect(entry).not.toContain('year');
    expect(JSON.parse(csl ?? '')).toMatchObject([
      {
        id: 'rename-1709647389500000',
        issued: { literal: 'after 5 March 2024, 14:03:09 UTC' },
        note: 'Renamed after 5 March 2024, 14:03:09 UTC',
      },
    ]);
  });

  it('say of a rename by when it was done, if that is known', () => {
    const rename = { ...CHANGE, title: 'Rename of @a to @b', isRename: true, after: CHANGE.by, by: '9 March 2024, 00:00:00 UTC' };
    const [, text, , csl] = citationsOf(SITE, rename).map((citation) => citation[1]);
    expect(text).toContain('Rename of @a to @b, after 5 March 2024, 14:03:09 UTC and by 9 March 2024, 00:00:00 UTC. Press');
    expect(csl).toContain('"note": "Renamed after 5 March 2024, 14:03:09 UTC and by 9 March 2024, 00:00:00 UTC"');
  });

  it('say between which two observations a change happened, if that is known', () => {
    const [, text, entry, csl] = citationsOf(SITE, { ...CHANGE, after: '1 March 2024, 00:00:00 UTC' }).map((citation) => citation[1]);
    const interval = 'between 1 March 2024, 00:00:00 UTC and 5 March 2024, 14:03:09 UTC';
    expect(text).toContain(`. Bio of @nina_k (now @{K}), changed ${interval}. Press`);
    expect(entry).toContain(`note = {Changed ${interval}. Fingerprint`);
    expect(entry).toContain('year = {2024}');
    expect(JSON.parse(csl ?? '')).toMatchObject([{ issued: { 'date-parts': [[2024, 3, 5]] }, note: `Changed ${interval}` }]);
  });

  it('leave out what is not known', () => {
    const [, text, entry, csl] = citationsOf({ title: 'History', base_url: '' }, CHANGE).map((citation) => citation[1]);
    expect(text).toBe(`Bio of @nina_k (now @{K}), changed, as first seen on 5 March 2024, 14:03:09 UTC. History. ${CHANGE.url}.`);
    expect(entry).not.toContain('author');
    expect(csl).not.toMatch(/publisher|author|version/);
  });
});
