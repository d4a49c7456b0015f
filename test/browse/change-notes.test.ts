import { describe, expect, it } from 'vitest';
import { accountEntry } from '../../src/browse/change-list.ts';
import { changedPart } from '../../src/browse/highlight-changes.ts';
import { byteText, markup, trusted } from '../../src/browse/markup.ts';
import type { DataType } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { bioRecord } from '../support/bio-record.ts';

/** Returns the note of a change, and what it marks as removed and as added. */
function shown(data_type: DataType, before: string | undefined, after: string): readonly (string | undefined)[] {
  const record = { ...bioRecord(2, { account: 'nina', previous: before === undefined ? null : 1 }), data_type, text: byteText(after) };
  const diff_html = byteText(diffHtml(data_type, before, after));
  const facts = {
    addressOf: () => trusted(''),
    textOf: () => (before === undefined ? undefined : byteText(before)),
    handleAt: () => 'nina',
  };
  const html = accountEntry([{ ...record, diff_html }], () => trusted(''), facts, new Map());
  const marked = (part: RegExp) =>
    Array.from(html.replace(/<\/?a\b[^>]*>/g, '').matchAll(part), ([, text]) => text).join(' | ') || undefined;
  return [marked(/<p class=note>(.*?)<\/p>/g), marked(/<del>(.*?)<\/del>/gs), marked(/<ins>(.*?)<\/ins>/gs)];
}

it('a letter of a script with look-alikes has a note in a Latin word, beside another change', () => {
  const all = Array.from({ length: 0xabc0 }, (_, code) => String.fromCharCode(code));
  const letters = all.filter((one) => /(?=\p{L})[\p{sc=Armenian}\p{sc=Cherokee}\p{sc=Coptic}\p{sc=Lisu}]/u.test(one));
  expect(letters.length).toBeGreaterThan(300);
  expect(letters.filter((letter) => shown('Bio', 'maps of', `m${letter}ps mills`)[0] === undefined)).toEqual([]);
});

it.each<[name: string, before: string, after: string, note: string | undefined]>([
  ['a zero-width space', 'maps', 'ma\u200bps', 'zero-width space U+200B added'],
  ['a no-break space', 'of maps', 'of\u00a0maps', 'space U+0020 removed, no-break space U+00A0 added'],
  ['a space at the end', 'maps ', 'maps', 'space U+0020 removed at the end'],
  ['letters of another script', 'maps', 'm\u0430ps', 'Cyrillic letter like a U+0430 added'],
  ['letters of another script beside another change', 'maps of places', 'm\u0430ps of mills', 'Cyrillic letter like a U+0430 added'],
  [
    'letters of another script in a word that is gone',
    'm\u0430ps \u200bof places',
    'mills',
    'zero-width space U+200B removed, Cyrillic letter like a U+0430 removed',
  ],
  ['a word in another script', 'maps', '\u043a\u0430\u0440\u0442\u044b \u043e \u0441\u043e\u0440 maps', undefined],
  ['letters of another script in a word that stays', 'm\u0430ps of \u0441\u043e\u0440', 'm\u0430ps of mills', undefined],
  ['a Greek letter', 'Nina', '\u039dina', 'Greek letter like N U+039D added'],
  ['an Armenian letter', 'Rob', 'R\u0585b', 'letter of another script U+0585 added'],
  ['a Cherokee letter', 'Anna', '\u13aanna', 'letter of another script U+13AA added'],
  ['a Cyrillic letter like an l', 'Paul', 'Pau\u04cf', 'Cyrillic letter like l U+04CF added'],
  ['a word of another script that stays', '\u0535\u054aalumni', '\u0535\u054a 2020', undefined],
  ['a word in Armenian', 'maps', '\u0562\u0561\u057c maps', undefined],
  ['a blank Braille pattern', 'of maps', 'of \u2800maps', 'blank Braille pattern U+2800 added'],
  ['an object replacement character', 'maps', 'maps\ufffc', 'object replacement character U+FFFC added'],
  ['a carriage return', 'a\r\nb', 'a\nb', 'carriage return U+000D removed'],
  ['an override of direction', 'maps', '\u202emaps', 'right-to-left override U+202E added'],
  ['an override beside another change', 'maps of places', 'maps of \u202emills', 'right-to-left override U+202E added'],
  ['a composed letter', 'cafe\u0301', 'caf\u00e9', 'normalization: U+0065 U+0301 became U+00E9'],
  ['a decomposed letter', 'of \u00e9t\u00e9 maps', 'of \u00e9te\u0301 maps', 'normalization: U+00E9 became U+0065 U+0301'],
  ['letter case', 'Maps', 'maps', 'only upper and lower case'],
  ['a space that moved', 'maps of', 'map sof', 'space U+0020 moved'],
  ['spaces of which one moved from one place to another', 'a  b c', 'a b  c', 'space U+0020 moved'],
  ['a zero-width space that moved', 'm\u200baps', 'ma\u200bps', 'zero-width space U+200B moved'],
  ['a word that moved', 'a b maps', 'b a maps', undefined],
  ['a word that moved to the beginning', 'one two three', 'three one two', undefined],
  ['characters in another form that repeat', 'maps\u2026', 'maps...', 'characters in another form: U+2026 became U+002E U+002E U+002E'],
  ['spaces and letter case', 'Maps of', 'maps  of', 'space U+0020 added, upper and lower case'],
  ['a composed letter and letter case', 'Caf\u00e9', 'cafe\u0301', 'normalization: U+00E9 became U+0065 U+0301, upper and lower case'],
  ['a decomposed letter that looks like another', '\u0451\u043b', '\u0435\u0308\u043b', 'normalization: U+0451 became U+0435 U+0308'],
  ['forms in another order', '\u00e9e\u0301', 'e\u0301\u00e9', 'normalization: U+00E9 U+0065 U+0301 became U+0065 U+0301 U+00E9'],
  ['full-width letters', 'Hi', '\uff28\uff49', 'characters in another form: U+0048 U+0069 became U+FF28 U+FF49'],
  ['a ligature', 'of\ufb01ce', 'office', 'characters in another form: U+FB01 became U+0066 U+0069'],
  ['a circled digit', '\u2460 map', '1 map', undefined],
  ['a raised digit', 'x\u00b2', 'x2', undefined],
  ['a raised letter', 'n\u1d49', 'ne', undefined],
  ['a fraction', '\u00bd mile', '1\u20442 mile', undefined],
  ['a symbol of letters', 'Nina\u2122', 'NinaTM', undefined],
  ['a mathematical letter', '\u{1d40d}ina', 'Nina', 'characters in another form: U+1D40D became U+004E'],
  ['the scheme of a URL', 'at http://a.example now', 'at https://a.example now', 'Only <q>http</q> became <q>https</q>'],
  [
    'schemes of URLs in both directions',
    'http://a.example https://b.example http://c.example',
    'https://a.example http://b.example https://c.example',
    'Only <q>http</q> became <q>https</q>, and <q>https</q> became <q>http</q>',
  ],
  ['a scheme before a text that was no URL', 'http://a ://b', 'https://a http://b', undefined],
  ['the scheme and the path of a URL', 'at http://a.example now', 'at https://a.example/b now', undefined],
  ['the style of an emoji', 'sun \u2600', 'sun \u2600\ufe0f', 'emoji variation selector U+FE0F added'],
  [
    'many invisible characters',
    'a',
    'a\u200b\u200c\u200d\u2060\u2061',
    'zero-width space U+200B added, zero-width non-joiner U+200C added, zero-width joiner U+200D added, word joiner U+2060 added, 1 more',
  ],
  ['an emoji that has joints', 'team', 'team \u{1f469}\u200d\u{1f469}\u200d\u{1f467}', undefined],
  ['a flag with tags', 'team', 'team \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', undefined],
  ['another word', 'maps', 'mills', undefined],
])('a change of a bio has a note only for invisible differences: %s', (_, before, after, note) => {
  const [found] = shown('Bio', before, after);
  expect(found).toBe(note);
});

it.each([
  ['invisible characters', 'Adm\u200bin pay\u202egnp', 'contains zero-width space U+200B, right-to-left override U+202E'],
  ['a letter of another script', 'P\u0430ris', 'contains Cyrillic letter like a U+0430'],
  ['only visible characters', 'Paris \u2600\ufe0f', undefined],
])('the note of a first value names what no eye sees in it: %s', (_, text, note) => {
  expect(shown('Bio', undefined, text)).toEqual([note, undefined, undefined]);
});

it.each<[type: DataType, before: string, after: string, note: string | undefined, removed: string | undefined, added: string | undefined]>([
  ['Website', 'http://nina.example/a', 'https://nina.example/a', 'Only <q>http</q> became <q>https</q>', 'http', 'https'],
  ['Website', 'https://nina.example', 'https://nina.example/', 'Only <q>/</q> was added', undefined, '/'],
  ['Website', 'https://www.nina.example', 'https://nina.example', 'Only <q>www.</q> was removed', 'www.', undefined],
  [
    'Website',
    'https://a.example/?x=1&y=2',
    'https://a.example/?x=1&z=2',
    'Only <q>1&amp;y</q> became <q>1&amp;z</q>',
    '1&amp;y',
    '1&amp;z',
  ],
  [
    'Website',
    'http://nina.example/blog/old',
    'https://nina.example/blog/new',
    'Only <q>http</q> became <q>https</q>, and <q>old</q> became <q>new</q>',
    'http | old',
    'https | new',
  ],
  [
    'Website',
    'http://www.nina.example',
    'https://nina.example/a/very/long/path/of/many/segments',
    undefined,
    'http | www.',
    'https | /a/very/long/path/of/many/segments',
  ],
  ['Website', 'http://nina.example/a', 'https://omar.example/b', undefined, 'http://nina.example/a', 'https://omar.example/b'],
  ['Location', 'Oxford, Eon', 'Oxford, \u0415on', 'Cyrillic letter like E U+0415 added', 'Eon', '\u0415on'],
  ['Location', 'İstanbul, Türkiye', 'İzmir, Türkiye', 'Only <q>İstanbul</q> became <q>İzmir</q>', 'İstanbul', 'İzmir'],
  ['Location', 'via \u00e0', 'via \u0460', 'Only <q>\u00e0</q> became <q>\u0460</q>', '\u00e0', '\u0460'],
  ['Location', 'Oxford', 'Leeds', undefined, 'Oxford', 'Leeds'],
])('a change of a %s from %s to %s marks only the part that changed', (type, before, after, ...expected) => {
  expect(shown(type, before, after)).toEqual(expected.map((text) => text && byteText(text)));
});

describe('a change of a bio that is too long for the source of its record to compare', () => {
  const text = Array.from({ length: 150 }, (_, n) => `Line ${n} of @nina_k & others.\n日本語 \u0436\u0443 `).join('');

  it('marks only the words that changed', () => {
    const changed = `Line zero ${text
      .slice(7)
      .replace('Line 10 ', 'Line ten ')
      .replace(/日本語 жу $/, '日本国 жу ')}`;
    const [note, ...marked] = shown('Bio', text, changed);
    expect([note, ...marked]).toEqual([undefined, byteText('0 | 10 | 語'), byteText('zero | ten | 国')]);
  });

  it('marks an e-mail address as a whole, and not a part of it', () => {
    const changed = shown('Bio', `${text}a@b.org ${text}`, `${text}c@b.org ${text}`);
    expect(changed).toEqual([undefined, 'a@b.org', 'c@b.org']);
  });

  const limit = 'the marked texts are too long to be compared word by word';

  it('marks all of both texts if they have little in common', () => {
    const other = 'Something else, and more. '.repeat(200);
    const escaped = text.replaceAll('&', '&amp;').replaceAll('\n', '<i></i>\n');
    expect(shown('Bio', text, other)).toEqual([limit, byteText(escaped), other]);
  });

  it('says that it marks more than what changed if too many words are between the changes', () => {
    const words = 'many words, '.repeat(400);
    expect(shown('Bio', `1 ${words}. ${words} 1`, `2 ${words}, ${words} 2`)).toEqual([
      limit,
      `1 ${words}. ${words} 1`,
      `2 ${words}, ${words} 2`,
    ]);
  });
});

it('a link leads to the whole address, though a part of it is marked', () => {
  const html = changedPart({
    inline: markup``,
    before: markup`<del><a href="http://a.example">http://a.example</a></del>`,
    after: markup`<ins><a href="https://a.example">https://a.example</a></ins>`,
    removed: markup``,
    added: markup``,
  });
  expect(html).toMatchObject({
    before: '<a href="http://a.example"><del>http</del>://a.example</a>',
    after: '<a href="https://a.example"><ins>https</ins>://a.example</a>',
    inline: '<a href="https://a.example"><del>http</del><ins>https</ins>://a.example</a>',
  });
});
