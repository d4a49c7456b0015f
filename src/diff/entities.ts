/** A mention or a hashtag in a text, including its sign. */
export interface Entity {
  readonly kind: 'mention' | 'hashtag';
  /** Its start and end in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** The text after the sign. */
  readonly name: string;
}

/** What follows the sign of a mention: `name`, `name.example.org`, or one of `name` and `name@example.org`. */
export type MentionForm = 'name' | 'domain' | 'address';

/*
 * The rules of Twitter for mentions and hashtags. Of other services, only the form of a mention differs. Every repetition is bounded, and no repetition can start at
 * two places. Therefore the time grows linearly with the length of any text. A lookahead with a capture and a
 * backreference matches a repetition atomically: completely or not at all.
 */

/** The characters of a hashtag: letters, marks and digits of any script, and the connecting characters of some scripts. */
const IN_TAG =
  '\\p{L}\\p{M}\\p{Nd}_\\u200c\\u200d\\ua67e\\u05be\\u05f3\\u05f4\\uff5e\\u301c\\u309b\\u309c\\u30a0\\u30fb\\u3003\\u0f0b\\u0f0c\\u00b7';
/** A sign with a variation selector is an emoji, not the start of a hashtag. A hashtag may begin after an emoji with one. */
const HASHTAG = `(?<=^|[\\ufe0e\\ufe0f]|[^${IN_TAG}&])[#＃](?![\\ufe0f\\u20e3])(?=(?<tag>[${IN_TAG}]{1,280}))\\k<tag>(?![${IN_TAG}#＃]|://)`;

const BEFORE_MENTION = '(?<=^|[^a-zA-Z0-9_!#$%&*@＠]|(?:^|[^a-zA-Z0-9_+~.-])[rR][tT]:?)';
/** Not part of an e-mail or fediverse address, of a word with an accent, or of a grapheme. */
const AFTER_MENTION = '(?![@＠À-ÖØ-öø-ɏḀ-ỿ\\p{M}\\u200d]|://)';

const LABEL = '[\\p{L}\\p{Nd}_-]{1,63}';
/** The name of a server. */
export const HOST: string = `${LABEL}(?:\\.${LABEL}){1,20}`;
const HANDLES: { readonly [F in MentionForm]: string } = {
  name: '[a-zA-Z0-9_]{1,20}',
  domain: '(?:[a-zA-Z0-9-]{1,63}\\.){1,20}[a-zA-Z][a-zA-Z0-9-]{0,61}[a-zA-Z0-9]',
  address: `[a-zA-Z0-9_](?:[a-zA-Z0-9_.-]{0,62}[a-zA-Z0-9_])?(?:@${HOST})?`,
};
/**
 * Addresses are matched because nothing inside them is linked. `|` separates items in bios more often than it
 * occurs in addresses.
 */
const ADDRESS = `(?<![\\p{L}\\p{Nd}_.@＠#＃$-])(?:https?://)?${HOST}(?::\\d{1,5})?(?:[/?][\\w\\p{sc=Latin}\\p{sc=Cyrillic}!$%&'()*+,./:;=?@~#[\\]-]{0,2000})?`;

const anyWith = (form: MentionForm) =>
  new RegExp(`${ADDRESS}|${BEFORE_MENTION}[@＠](?=(?<handle>${HANDLES[form]}))\\k<handle>${AFTER_MENTION}|${HASHTAG}`, 'gu');
const ANY = { name: anyWith('name'), domain: anyWith('domain'), address: anyWith('address') };
const LETTER = /\p{L}/u;

/** Returns the mentions and hashtags of a text, in order, except those inside an address. */
export function entitiesIn(text: string, form: MentionForm): Entity[] {
  const entities: Entity[] = [];
  if (!/[@＠#＃]/.test(text)) return entities;
  for (const match of text.matchAll(ANY[form])) {
    const { handle, tag } = match.groups ?? {};
    const place = { start: match.index, end: match.index + match[0].length };
    if (handle !== undefined) entities.push({ kind: 'mention', name: handle, ...place });
    // `#1` is a number
    else if (tag !== undefined && LETTER.test(tag)) entities.push({ kind: 'hashtag', name: tag, ...place });
  }
  return entities;
}
