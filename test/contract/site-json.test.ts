import { describe, expect, it } from 'vitest';
import { ABOUT_FIELDS, aboutOrNothing, parseAbout } from '../../src/contract/site-json.ts';

const NEEDED = { title: 'Press', publisher: 'Archive' };
const ALL = {
  ...NEEDED,
  description: 'What editors say',
  contact: 'https://archive.example/contact',
  source: 'saved pages',
  license: 'CC BY 4.0',
  license_url: 'https://licenses.example/by',
  language: 'de',
  image: 'https://archive.example/preview.png',
};

describe('the content of a site.json', () => {
  it('keeps its values, in one order of the fields', () => {
    const reversed = Object.fromEntries(Object.entries(ALL).toReversed());
    expect(JSON.stringify(parseAbout(reversed))).toBe(JSON.stringify(ALL));
    expect(JSON.stringify(parseAbout(NEEDED))).toBe(JSON.stringify(NEEDED));
    expect(ABOUT_FIELDS).toEqual(Object.keys(ALL));
  });

  it.each([
    ['title', ['x', ' two words ']],
    ['contact', ['office@archive.example', 'First.Last+x@a-1.B.example', 'HTTP://archive.example']],
    ['language', ['pt-BR', 'zh-Hant-tw', 'DE-1996']],
  ])('can have as %s %j', (field, values) => {
    for (const value of values) expect(parseAbout({ ...ALL, [field]: value })).toEqual({ ...ALL, [field]: value });
  });

  it.each([
    [
      'title',
      'one line of text, not empty',
      ['', '  ', 'a\nb', '\na', 'a\u007f', '\u001b', 'a\u2028b', 'a\u2029b', 5, null, undefined, '\ud800'],
    ],
    ['source', 'one line of text, not empty, or nothing', ['', 5]],
    ['image', 'an http or https URL, or nothing', ['x.png', 'https://', 'ftp://a.example', 'https://a.example/b c', ' https://a.example']],
    [
      'contact',
      'an http or https URL, or an e-mail address, or nothing',
      ['office', 'office@archive', 'a@b@c.example', 'an office@b.example', 'office@b.example now', 'a@b..c', 'a@b.example\n'],
    ],
    [
      'language',
      'a language such as "en" or "pt-BR", or nothing',
      ['e', 'abcdefghi', 'en_US', 'en-', 'en-abcdefghi', 'in English', 'en now', 'en\n'],
    ],
    ['name', `one of ${Object.keys(ALL).join(', ')}`, ['Press']],
  ])('needs as %s %s', (field, expected, values) => {
    for (const value of values)
      expect(() => parseAbout({ ...ALL, [field]: value }), String(value)).toThrow(expect.objectContaining({ field, expected }));
  });

  it('is an object', () => expect(() => parseAbout([])).toThrow(expect.objectContaining({ field: 'item' })));

  it('may be missing in a build.json', () => {
    expect([undefined, NEEDED, ALL].map(aboutOrNothing.accepts)).toEqual([true, true, true]);
    expect([null, 'Press', [], {}, { ...ALL, image: 5 }].map(aboutOrNothing.accepts)).toEqual([false, false, false, false, false]);
  });
});
