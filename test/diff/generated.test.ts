import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChangeRecord, DataType } from '../../src/contract/record.ts';
import { diffHtml } from '../../src/diff/diff-html.ts';
import { entitiesIn } from '../../src/diff/entities.ts';
import { segmentsOf } from '../../src/diff/segments.ts';
import { checkChange } from '../../src/verify/pages/diff-check.ts';
import { markupError } from '../../src/verify/pages/diff-markup.ts';
import { Report } from '../../src/verify/violation.ts';
import { isFull, times } from '../support/proof.ts';
import { linksIn, shown, shownInBlock } from './browser.ts';

/** An old text and the new one. */
type Pair = readonly [before: string, after: string];

/** Pieces of text, separated by spaces. */
const WORDS = [
  // emoji of several characters, flags, skin tones, keycaps; emoji that share one surrogate
  '👩‍👩‍👧‍👦 🏳️‍🌈 🇺🇸 🇺 🇺🇦🇸 👋🏻 👋🏿 🏻 1️⃣ #️⃣ *️⃣ ❤️ ❤ 🏴󠁧󠁢󠁷󠁬󠁳󠁿 🙋 🙌 🙍 \u{1F600} \u{1F601} \u{10FFFF} \u{20021}',
  // joiners and variation selectors; combining accents, several on one letter and at the start
  '\u200d \ufe0f \ufe0e \u20e3 e\u0301 é \u0301 a\u0300\u0301\u0302\u0303 Z͑ͫ̓ͪ̂ͫ ﾊﾟ ñ İ ß',
  // right-to-left letters and direction controls
  'שלום عليكم السلام \u200f \u202e \u2066 ـ ٤٠٦',
  // scripts without spaces, and scripts with spacing marks
  '東京 大阪 カタカナ ひらがな ー 中文 한국어 ﾣﾦﾰ ผู้เริ่ม การเมือง हिन्दी தமிழ் བོད་ မြင့် \u0600 \u0605',
  // text that looks like entities and markup
  `&amp; &amp;amp; &lt; &#39; &#x3c; &nbsp & < > " ' </span> <br> <b> <script> </ins> <!-- ]]> &para; <ins>`,
  // mentions and hashtags, and similar texts; URLs
  '@jack @Jack @jackson ＠jack #tag #tags ＃東京 #1 #a1 @ # @@ ## me@x.com @x@y.social rt@jack #ta\u0301g @_ &#tag @1️⃣',
  'https://t.co/aB3 http://x.example/@jack#tag x.example/#tag https:// www.x.example?a=1&b=2 :// x.example',
  // words and punctuation
  "a b the writer Writer write don't l’heure 2019 2020 she/her they/them | - _ ( ) \u200b \u0001 \u007f",
].flatMap((line) => line.split(' '));
/** Pieces with spaces, and line breaks of all kinds. */
const PIECES = [
  ...WORDS,
  ...['<br />', '<a href="https://x.example">', '<del style="background:#ffe6e6;">', 'RT: @jack', ' | ', ' • ', ', ', '. ', '! '],
  ...['\n', '\r\n', '\r', '\n\r', '\r\r\n', '\n\n', '\u2028', '\u2029', '\u000b', '\u000c', '\u0085'],
  ...[' ', '  ', '\t', '\u00a0', '\u3000', '\ufeff'],
];

const piece = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...PIECES) },
  { weight: 3, arbitrary: fc.constant(' ') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
);
const text = fc.oneof(
  { weight: 9, arbitrary: fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join('')) },
  { weight: 1, arbitrary: fc.array(piece, { minLength: 100, maxLength: 200, size: 'max' }).map((pieces) => pieces.join('')) },
);

/** Replaces a part of a text. The part may begin anywhere except inside a surrogate pair. */
const edited = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 9 }), fc.oneof(piece, fc.constant(''))), { minLength: 1, maxLength: 5 }))
  .map(([before, edits]): Pair => {
    let after = before;
    for (const [place, length, put] of edits) {
      const at = place % (after.length + 1);
      after = `${after.slice(0, at)}${put}${after.slice(at + length)}`;
    }
    return [before, after];
  });

const moved = fc.tuple(fc.array(piece, { maxLength: 12 }), fc.nat(), fc.nat()).map(([pieces, from, to]): Pair => {
  const after = [...pieces];
  const [taken = ''] = after.splice(from % (pieces.length + 1), 1);
  after.splice(to % (pieces.length + 1), 0, taken);
  return [pieces.join(''), after.join('')];
});

/** Pairs of texts as in profiles: well-formed and without NUL. */
const pair: fc.Arbitrary<Pair> = fc
  .oneof(
    { weight: 5, arbitrary: edited },
    { weight: 2, arbitrary: moved },
    { weight: 2, arbitrary: fc.tuple(text, text) },
    { weight: 1, arbitrary: text.map((same): Pair => [same, same]) },
  )
  .map(([before, after]): Pair => [clean(before), clean(after)]);

function clean(value: string): string {
  return value.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '');
}

const PAIRS = times('pairs of texts', 200, 100_000);
const SETTINGS = { numRuns: PAIRS, endOnFailure: isFull };

const plain = (text: string) => text.replace(/\r\n?/g, '\n');
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns the rules that a generated record breaks. */
function broken(data_type: DataType, before: string | undefined, text: string, diff_html: string): string[] {
  const record: ChangeRecord = {
    id: 1_456_705_800_000_000,
    account: 'ada',
    data_type,
    previous: before === undefined ? null : 1,
    text,
    first_encountered_date: '2016-02-29T00:30:00.000000Z',
    diff_html,
    web_archive_url: null,
  };
  const report = new Report();
  checkChange(record, before === undefined ? undefined : { ...record, text: before }, 'page', report);
  const inputError = markupError(diff_html);
  return [...report.violations.map(({ rule, found }) => `${rule}: ${found}`), ...(inputError === undefined ? [] : [inputError])];
}

it(`diffHtml shows the old and the new text of ${PAIRS} pairs of bios`, () => {
  fc.assert(
    fc.property(pair, ([before, after]) => {
      const html = diffHtml('Bio', before, after);
      expect(shown(html)).toEqual({ before: plain(before), after: plain(after) });
      expect(broken('Bio', before, after, html)).toEqual([]);
      expect(diffHtml('Bio', before, after)).toBe(html);
      for (const link of linksIn(html)) expect(link).toMatch(/^https:\/\/twitter\.com\/(\w{1,20}|search\?q=%23[\w%!'()*.~-]+)$/);
      const first = diffHtml('Bio', undefined, after);
      expect(shown(first)).toEqual({ before: '', after: plain(after) });
      expect(broken('Bio', undefined, after, first)).toEqual([]);
    }),
    SETTINGS,
  );
});

it('segmentsOf cuts no grapheme and repeats no text', () => {
  fc.assert(
    fc.property(pair, ([before, after]) => {
      const segments = segmentsOf(before, after);
      const of = (without: string) => segments.filter((segment) => segment.kind !== without).map((segment) => segment.text);
      for (const texts of [of('removed'), of('added')]) expectNoCut(texts);
      for (const [index, { kind, text }] of segments.entries()) {
        expect(text).not.toBe('');
        expect(kind).not.toBe(segments[index - 1]?.kind);
        if (kind === 'removed') expect(segments[index - 1]?.kind).not.toBe('added');
      }
    }),
    SETTINGS,
  );
});

/** Checks that the boundary between two texts is a grapheme boundary in their concatenation. */
function expectNoCut(texts: readonly string[]): void {
  const whole = texts.join('');
  const boundaries = new Set([...GRAPHEMES.segment(whole)].map((grapheme) => grapheme.index));
  // a mention or hashtag is one unit, even with combining marks after it
  for (const { start, end } of entitiesIn(whole, 'name')) boundaries.add(start).add(end);
  let at = 0;
  for (const text of texts) {
    expect(at === whole.length || boundaries.has(at), `${JSON.stringify(whole)} at ${at}`).toBe(true);
    at += text.length;
  }
}

it('diffHtml shows locations and websites as a whole', () => {
  fc.assert(
    fc.property(pair, fc.constantFrom('', 'http://', 'https://', 'HTTPS://', 'javascript:'), ([before, after], scheme) => {
      const place = diffHtml('Location', before, after);
      expect(shownInBlock(place)).toEqual({ before: plain(before), after: plain(after) });
      expect(broken('Location', before, after, place)).toEqual([]);
      const [old, fresh] = [before, scheme + after];
      const website = diffHtml('Website', old, fresh);
      const seen = website.startsWith('\n') ? shownInBlock(website) : shown(website);
      expect(seen).toEqual({ before: plain(old), after: plain(fresh) });
      expect(broken('Website', old, fresh, website)).toEqual([]);
      for (const link of linksIn(website)) expect(['http:', 'https:']).toContain(new URL(link).protocol);
    }),
    SETTINGS,
  );
});
