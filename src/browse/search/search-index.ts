import { crc32 } from 'node:zlib';
import { encodeJson } from '../../contract/json.ts';
import type { SearchedNames } from '../../store/accounts/account-reader.ts';
import { type ByteText, byteText, encode, type Markup, trusted } from '../markup.ts';
import { accountPlace } from '../paths.ts';
import { AccountRanges } from './account-ranges.ts';
import { BestAccounts, type RankedAccount } from './best-accounts.ts';
import { JoinedTexts } from './joined-texts.ts';
import { isCrowded, rangeOf, rangeText, startsOf } from './search-ranges.ts';
import { type IndexEntry, searchPath, type Term, termsOf } from './search-terms.ts';

/** A file of the search index: a classic script, because a page from `file://` can load nothing else. */
interface SearchFile {
  readonly path: string;
  readonly text: Markup;
}

/** The largest size of a file in bytes, as estimated from a sample. */
const SIZE = 400_000;
/** One of this many accounts is in the sample. */
const SAMPLED = 64;
/**
 * The number of files that are made at once. The accounts are read again for each such group of files, so memory hardly grows with
 * their number: by the sample, the best accounts and `AccountRanges`.
 */
const FILES_AT_ONCE = 300;
/** The number of characters of a display name that can be found and that a result shows. */
const NAME_LENGTH = 60;

/** An account in the index. The texts of its terms are range texts. */
interface IndexedAccount extends RankedAccount {
  readonly terms: readonly Term[];
}

/**
 * Yields the files of the search index. A file `from-….js` has all accounts with a term in one range of texts, and `index.js` has the
 * starts of the ranges. So a new name changes one file for each of its words, and rarely a start. A query can find accounts in several
 * ranges: the files `best-….js` have the best accounts for all such queries. The same accounts give the same bytes.
 * @param accounts reads all accounts, always in the same order
 * @param size the largest size of a file in bytes, as estimated from a sample
 */
export function* searchFiles(accounts: () => Iterable<SearchedNames>, size: number = SIZE): Generator<SearchFile> {
  const [firstStart = '', ...others] = startsOf(sampleOf(accounts()), size / SAMPLED);
  // a text before all starts is in the first range, which must have all accounts
  const starts = isCrowded(firstStart) ? ['', firstStart, ...others] : [firstStart, ...others];
  yield fileOf('index', [], starts.map(hexOf));
  const best = new BestAccounts(starts, size);
  const ranges = new AccountRanges(starts.length);
  for (let first = 0; first < starts.length; first += FILES_AT_ONCE) {
    const files = starts.slice(first, first + FILES_AT_ONCE).map((start) => ({ start, entries: new JoinedTexts() }));
    const known = ranges.each();
    for (const names of accounts()) {
      let json: ByteText | undefined;
      if (first === 0) {
        const account = indexed(names);
        const texts = account.terms.flatMap(({ text }) => (best.has(text) ? [] : [text]));
        ranges.add(new Set(texts.map((text) => rangeOf(text, starts))));
        best.offer(account, account.terms);
        json = account.json;
      }
      for (const range of known.next().value ?? []) {
        if (range < first || range >= first + FILES_AT_ONCE) continue;
        json ??= jsonOf(names);
        files[range - first]?.entries.add(json);
      }
    }
    for (const { start, entries } of files) yield fileOf(`from-${hexOf(start)}`, isCrowded(start) ? best.crowded(start) : [entries.take()]);
  }
  for (const [firstByte, entries] of best.byFirstByte()) yield fileOf(`best-${hexOf(firstByte)}`, entries);
}

/** Returns the script with the accounts whose names are newer than those of the index. */
export function newerNamesFile(newer: readonly SearchedNames[]): Markup {
  return scriptOf(newer.map(jsonOf));
}

/** Whether an account is one of those that decide the ranges. It depends on the handle alone. */
function isInSample(handle: string): boolean {
  return crc32(handle) % SAMPLED === 0;
}

function sampleOf(accounts: Iterable<SearchedNames>): { readonly text: ByteText; readonly size: number }[] {
  const sample = [];
  for (const names of accounts) {
    if (!isInSample(names.screen_name)) continue;
    const { terms, json } = indexed(names);
    for (const { text } of terms) sample.push({ text, size: json.length });
  }
  return sample;
}

function indexed(names: SearchedNames): IndexedAccount {
  const { screen_name: handle, display_name, former_handles, records } = names;
  const formerHandles = former_handles.map((former) => former.handle);
  const terms = termsOf({ handle, name: cutName(display_name), formerHandles }).map(({ text, match }) => {
    return { text: rangeText(byteText(text)), match };
  });
  return { handle, rank: rankOf(records), terms, json: jsonOf(names) };
}

function jsonOf(names: SearchedNames): ByteText {
  return byteText(encodeJson(entryOf(names)));
}

/** Returns an account as a file of the index lists it. */
export function entryOf({ screen_name: handle, display_name, former_handles, records }: SearchedNames): IndexEntry {
  const place = accountPlace(byteText(handle));
  const folder = place.name === handle ? place.folder : `${place.folder}${place.name}`;
  return [handle, folder, cutName(display_name), rankOf(records), ...former_handles.map((former) => former.handle)];
}

function fileOf(name: string, entries: Iterable<ByteText>, starts?: readonly string[]): SearchFile {
  return { path: searchPath(name), text: scriptOf(entries, starts) };
}

function scriptOf(entries: Iterable<ByteText>, starts?: readonly string[]): Markup {
  const more = starts === undefined ? '' : `,${JSON.stringify(starts)}`;
  return trusted(`palimpsest([${[...entries].join(',')}]${more})\n`);
}

function hexOf(text: ByteText): string {
  return encode(text).toString('hex');
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
