import fc from 'fast-check';

/** An old text and the new one. */
export type Pair = readonly [before: string, after: string];

const PIECES = [
  // emoji of several characters, flags, skin tones, keycaps, joiners and variation selectors
  ...['👩‍👩‍👧‍👦', '🏳️‍🌈', '🇺🇸', '🇺', '🇺🇦🇸', '👋🏻', '👋🏿', '🏻', '1️⃣', '#️⃣', '*️⃣', '❤️', '❤', '\u200d', '\ufe0f', '\ufe0e', '\u20e3', '🏴󠁧󠁢󠁷󠁬󠁳󠁿'],
  // emoji that share one surrogate
  ...['🙋', '🙌', '🙍', '\u{1F600}', '\u{1F601}', '\u{10FFFF}', '\u{20021}'],
  // combining accents, several on one letter and at the start
  ...['e\u0301', 'é', '\u0301', 'a\u0300\u0301\u0302\u0303', 'Z͑ͫ̓ͪ̂ͫ', 'ﾊﾟ', 'ñ', 'İ', 'ß'],
  // right-to-left letters and direction controls
  ...['שלום', 'عليكم', 'السلام', '\u200f', '\u202e', '\u2066', 'ـ', '٤٠٦'],
  // scripts without spaces, and scripts with spacing marks
  ...[
    '東京',
    '大阪',
    'カタカナ',
    'ひらがな',
    'ー',
    '中文',
    '한국어',
    'ﾣﾦﾰ',
    'ผู้เริ่ม',
    'การเมือง',
    'हिन्दी',
    'தமிழ்',
    'བོད་',
    'မြင့်',
    '\u0600',
    '\u0605',
  ],
  // line breaks of all kinds, and similar characters
  ...['\n', '\r\n', '\r', '\n\r', '\r\r\n', '\n\n', '\u2028', '\u2029', '\u000b', '\u000c', '\u0085'],
  // text that looks like entities and markup
  ...[
    '&amp;',
    '&amp;amp;',
    '&lt;',
    '&#39;',
    '&#x3c;',
    '&nbsp',
    '&',
    '<',
    '>',
    '"',
    "'",
    '</span>',
    '<br>',
    '<br />',
    '<b>',
    '<script>',
    '</ins>',
    '<!--',
    ']]>',
    '<a href="https://x.example">',
  ],
  ...['<del style="background:#ffe6e6;">', '&para;', '<ins>'],
  // mentions and hashtags, and similar texts
  ...[
    '@jack',
    '@Jack',
    '@jackson',
    '＠jack',
    '#tag',
    '#tags',
    '＃東京',
    '#1',
    '#a1',
    '@',
    '#',
    '@@',
    '##',
    'me@x.com',
    '@x@y.social',
    'rt@jack',
    'RT: @jack',
    '#ta\u0301g',
    '@_',
    '&#tag',
    '@1️⃣',
  ],
  // URLs
  ...['https://t.co/aB3', 'http://x.example/@jack#tag', 'x.example/#tag', 'https://', 'www.x.example?a=1&b=2', '://', 'x.example'],
  // words, spaces and punctuation
  ...[
    'a',
    'b',
    'the',
    'writer',
    'Writer',
    'write',
    "don't",
    'l’heure',
    '2019',
    '2020',
    'she/her',
    'they/them',
    '|',
    ' | ',
    ' • ',
    ', ',
    '. ',
    '! ',
    '-',
    '_',
    '(',
    ')',
  ],
  ...[' ', '  ', '\t', '\u00a0', '\u3000', '\ufeff', '\u200b', '\u0001', '\u007f'],
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
export const pair: fc.Arbitrary<Pair> = fc
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
