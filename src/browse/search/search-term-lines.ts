import { encodeJson } from '../../contract/json.ts';
import type { SearchedNames } from '../../store/accounts/account-reader.ts';
import { type ByteText, byteText, exactByteText, plainText } from '../byte-text.ts';
import { accountPlace } from '../paths.ts';
import { handleTerm, MATCH, type Match, nameTerms } from './search-terms.ts';
import type { Term } from './top-matches.ts';

/** The number of characters of a display name that can be found and that a result shows. */
const NAME_LENGTH = 60;

/**
 * Yields a line for each term of each account: the text, the numbers, the JSON of the account, and the JSON of the former
 * handle if the term comes from one. Lines are byte texts: JavaScript sorts them faster.
 */
export function* termLines(accounts: Iterable<SearchedNames>): Generator<ByteText> {
  for (const { screen_name, display_name, former_handles, records } of accounts) {
    const place = accountPlace(byteText(screen_name));
    const folder = place.name === screen_name ? place.folder : `${place.folder}${place.name}`;
    const name = cutName(display_name);
    const rank = rankOf(records);
    const json = exactByteText(encodeJson([screen_name, folder, name, rank]).slice(1, -1));
    const terms: NamedTerm[] = [{ text: exactByteText(handleTerm(screen_name)), match: MATCH.handle, former: '' }];
    for (const { handle } of former_handles) {
      terms.push({ text: exactByteText(handleTerm(handle)), match: MATCH.former, former: exactByteText(encodeJson(handle)) });
    }
    for (const text of byteEndings(nameTerms(name))) terms.push({ text, match: MATCH.name, former: '' });
    let before = '';
    for (const { text, match, former } of terms.sort(compareTerms)) {
      const shared = before === '' ? -1 : sharedLength(before, text);
      before = text;
      // a joined string takes less memory than one that is made of pieces
      yield [text, `${match}${rank.toString(36)}${shared}`, json, former].join(SEPARATOR);
    }
  }
}

interface NamedTerm {
  readonly text: ByteText;
  readonly match: Match;
  /** The former handle that the term comes from, as JSON; '' if it comes from another name. */
  readonly former: ByteText;
}

/** Returns texts as byte texts. All of them are endings of the first one, so only this one is encoded. */
function byteEndings(texts: readonly string[]): ByteText[] {
  const [longest = ''] = texts;
  const bytes = exactByteText(longest);
  return texts.map((text) => bytes.slice(bytes.length - Buffer.byteLength(text)));
}

/** Between the fields of a line. The text of a term has no white space except single spaces, and JSON escapes tabs. */
const SEPARATOR = '\t';

/** Reads a line of {@link termLines}. */
export function termOf(line: ByteText): Term {
  const numbers = line.indexOf(SEPARATOR) + 1;
  const account = line.indexOf(SEPARATOR, numbers) + 1;
  const end = line.indexOf(SEPARATOR, account);
  const [json, former] = [line.slice(account, end), line.slice(end + 1)];
  const text = line.slice(0, numbers - 1);
  const match = MATCHES[Number(line[numbers])] ?? MATCH.name;
  const rank = Number.parseInt(line.charAt(numbers + 1), 36);
  const shared = Number(line.slice(numbers + 2, account - 1));
  const listed = { handle: handleIn(json), rank, json, formerHandles: former === '' ? NONE : [former] };
  return { text, size: json.length + former.length, match, shared, listed };
}

const NONE: readonly ByteText[] = [];
const MATCHES: readonly Match[] = [MATCH.exact, MATCH.handle, MATCH.former, MATCH.name];

/** Returns the handle at the beginning of the JSON of an account. */
function handleIn(json: ByteText): string {
  return json.includes('\\') ? JSON.parse(plainText(`[${json}]`))[0] : plainText(json.slice(1, json.indexOf('"', 1)));
}

/** Cuts a display name to the part that the index contains. */
export function cutName(name: string): string {
  return name.length <= NAME_LENGTH ? name : [...name].slice(0, NAME_LENGTH).join('').toWellFormed();
}

/**
 * Returns the rank of an account with a number of records. It grows by one when the number is four times as large, so a
 * new record rarely changes a file of the index.
 */
export function rankOf(records: number): number {
  return Math.ceil((32 - Math.clz32(records)) / 2);
}

function compareTerms({ text: a }: NamedTerm, { text: b }: NamedTerm): number {
  return a < b ? -1 : Number(a > b);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
