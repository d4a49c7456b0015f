/** A mention or a hashtag in a text, with the sign it begins with. */
export interface Entity {
  readonly kind: 'mention' | 'hashtag';
  /** Where it begins and ends in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** What follows the sign. */
  readonly name: string;
}

/*
 * What Twitter takes for a mention and for a hashtag. Every run is bounded and no run can be entered at two
 * places, so that the time grows with the length of the text, whatever is in it. A lookahead that captures,
 * and a reference back to it, takes a whole run or none of it.
 */

/** What a hashtag is made of: letters, marks and digits of any script, and what binds them in some. */
const IN_TAG =
  '\\p{L}\\p{M}\\p{Nd}_\\u200c\\u200d\\ua67e\\u05be\\u05f3\\u05f4\\uff5e\\u301c\\u309b\\u309c\\u30a0\\u30fb\\u3003\\u0f0b\\u0f0c\\u00b7';
/** The emoji that a sign and a variation selector make are no beginning; after one that closes, a tag may begin. */
const HASHTAG = `(?<=^|[\\ufe0e\\ufe0f]|[^${IN_TAG}&])[#＃](?![\\ufe0f\\u20e3])(?=(?<tag>[${IN_TAG}]{1,280}))\\k<tag>(?![${IN_TAG}#＃]|://)`;

const BEFORE_MENTION = '(?<=^|[^a-zA-Z0-9_!#$%&*@＠]|(?:^|[^a-zA-Z0-9_+~.-])[rR][tT]:?)';
/** Not of an e-mail or fediverse address, not of a word with an accent, not of a grapheme. */
const AFTER_MENTION = '(?![@＠À-ÖØ-öø-ɏḀ-ỿ\\p{M}\\u200d]|://)';
const MENTION = `${BEFORE_MENTION}[@＠](?=(?<handle>[a-zA-Z0-9_]{1,20}))\\k<handle>${AFTER_MENTION}`;

const LABEL = '[\\p{L}\\p{Nd}_-]{1,63}';
/** Addresses are looked for because nothing in them is linked; `|` parts things in bios more often than in addresses. */
const ADDRESS = `(?<![\\p{L}\\p{Nd}_.@＠#＃$-])(?:https?://)?${LABEL}(?:\\.${LABEL}){1,20}(?::\\d{1,5})?(?:[/?][\\w\\p{sc=Latin}\\p{sc=Cyrillic}!$%&'()*+,./:;=?@~#[\\]-]{0,2000})?`;

const ANY = new RegExp(`${ADDRESS}|${MENTION}|${HASHTAG}`, 'gu');
const LETTER = /\p{L}/u;

/** The mentions and hashtags of a text, in order; one inside an address is none. */
export function entitiesIn(text: string): Entity[] {
  const entities: Entity[] = [];
  if (!/[@＠#＃]/.test(text)) return entities;
  for (const match of text.matchAll(ANY)) {
    const { handle, tag } = match.groups ?? {};
    const place = { start: match.index, end: match.index + match[0].length };
    if (handle !== undefined) entities.push({ kind: 'mention', name: handle, ...place });
    // `#1` is a number
    else if (tag !== undefined && LETTER.test(tag)) entities.push({ kind: 'hashtag', name: tag, ...place });
  }
  return entities;
}
