// The patterns read UTF-8 with one character for each byte, or the text that was decoded from UTF-8. They match JSON only as encodeJson
// writes it, with the fields in the order of the interface; but decoded text may have U+2028 and U+2029, which encodeJson escapes. They do
// not match an escape with four digits, or a text with 10,000 or more escapes and bytes E2: such JSON is encoded again. Without this
// limit, a long text would overflow the stack of the pattern.
const LITERAL = String.raw`[^"\\\0-\x1f\xe2]*`;
/** A short escape, or the byte E2 (in decoded text: U+00E2) if it does not begin U+2028 or U+2029. */
const ESCAPE_OR_E2 = String.raw`(?:\\["\\bfnrt]|\xe2(?!\x80[\xa8\xa9]))`;
const TEXT = `"${LITERAL}(?:${ESCAPE_OR_E2}${LITERAL}){0,9999}"`;
const TEXT_OR_NULL = `(?:null|${TEXT})`;
const NUMBER = String.raw`(?:0|[1-9]\d*)`;
const NUMBER_OR_NULL = `(?:null|${NUMBER})`;

export const RECORD_PATTERN: RegExp = new RegExp(
  `\\{"id":${NUMBER},"account":${TEXT},"data_type":${TEXT},"previous":${NUMBER_OR_NULL},"text":${TEXT_OR_NULL},` +
    `"first_encountered_date":${TEXT},"diff_html":${TEXT},"web_archive_url":${TEXT_OR_NULL}\\}`,
  'y',
);

/** Whether a text, decoded from UTF-8, is the JSON of a record as the encoder writes it. */
export function isRecordJson(text: string): boolean {
  RECORD_PATTERN.lastIndex = 0;
  if (!RECORD_PATTERN.test(text) || RECORD_PATTERN.lastIndex !== text.length) return false;
  return !text.includes('\u2028') && !text.includes('\u2029');
}

/** Matches the JSON of an account up to its first record. */
export const ACCOUNT_START_PATTERN: RegExp = new RegExp(
  `\\{"screen_name":${TEXT},"account_creation_date":${TEXT_OR_NULL},"profile_image_url":${TEXT},"data":\\[`,
  'y',
);

/** Matches the JSON of an account after its last record. */
export const ACCOUNT_END_PATTERN: RegExp = new RegExp(
  `\\],"data_page_count":${NUMBER},"display_name":${TEXT},"website":${TEXT_OR_NULL},"location":${TEXT},"bio":${TEXT}\\}`,
  'y',
);
