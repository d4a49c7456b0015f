import { existsSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { schemeOf } from '../contract/files/url-scheme.ts';
import { DAY_MS, type Instant, parseInstant } from '../contract/instant.ts';
import { DATA_TYPES, type DataType } from '../contract/record.ts';
import { MAX_PARTS } from '../sources/snapshots/part-header.ts';
import { ENCODINGS, type Encoding } from '../tree/encoding.ts';

// An InvalidArgumentError says what was expected.

/** Characters that a URL parser drops or rewrites. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const UNSAFE = /[\s\u0000-\u001f\u007f-\u009f\\]/;

/**
 * Parses a path. Rejects an empty text, which a shell makes from an unset variable: it would mean the current folder.
 * Rejects a URL, because it would become a folder named `https:`.
 */
export function path(text: string): string {
  if (text === '') throw new InvalidArgumentError('a path');
  const scheme = schemeOf(text);
  if (scheme === undefined) return text;
  throw new InvalidArgumentError(`a path on this machine, not a URL. Write ./${scheme}:/ for a folder with that name`);
}

/** Returns a parser of paths with an ending. @param endings in messages */
export function pathEnding(pattern: RegExp, endings: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return path(text);
    throw new InvalidArgumentError(`a name that ends in ${endings}`);
  };
}

/** Returns a parser of texts that match a pattern. @param expected in messages */
function matching(pattern: RegExp, expected: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new InvalidArgumentError(expected);
  };
}

/** A path or the address of a target. */
export const place = matching(/./s, 'a path');

/** A pattern of file names. */
export const pattern = matching(/./s, 'a pattern');

/** The value of a User-Agent header. */
export const userAgent = matching(
  /^[!-~]([ -~]*[!-~])?$/,
  'a line of printable ASCII, such as "example-archive/1.0 (+https://archive.example)"',
);

/** The value of a Cache-Control header, which must be kept byte for byte. */
export const cacheControl = matching(
  /^([!-~]([\t -~]*[!-~])?)?$/,
  'one line of printable ASCII without spaces at its ends, such as "public, max-age=60"',
);

/** A region. It becomes part of a host name, so it must be a valid label. */
export const region = matching(/^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i, 'letters, digits and hyphens, such as eu-central-1');

/** The file of an NDJSON export. Rejects names such as `store.ndjson.gz`: the output is not compressed. */
export function plainFile(text: string): string {
  const [ending] = /\.(gz|zst|bz2|xz)$/i.exec(text) ?? [];
  if (ending === undefined) return path(text);
  const reason = 'because the export is not compressed; to compress it, use --to - | gzip';
  throw new InvalidArgumentError(`a name that does not end in ${ending}, ${reason}`);
}

/** The part that `normalize` writes: a path, or an object. */
export function partName(text: string): string {
  const isObject = /^s3:\/\/[^/]+\/./i.test(text);
  if (!/[^/]\.ndjson(\.gz)?$/.test(text)) throw new InvalidArgumentError('a name that ends in .ndjson or .ndjson.gz');
  return isObject ? text : path(text);
}

/** Parses `I/N`. */
export function shard(text: string): { readonly number: number; readonly shards: number } {
  const [, first = '', second = ''] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const [index, shards] = [Number(first), Number(second)];
  if (second !== '' && shards <= MAX_PARTS && index < shards) return { number: index, shards };
  throw new InvalidArgumentError(`I/N, such as 0/4: N from 1 to ${MAX_PARTS}, and I from 0 to N - 1`);
}

/** The labels of bag-info.txt that occur once, and that palimpsest writes itself. */
const OWN_LABELS = ['Bag-Software-Agent', 'Payload-Oxum'];

/** Parses `NAME=VALUE`, a line of bag-info.txt. */
export function bagInfo(text: string): { readonly label: string; readonly value: string } {
  const [, label = '', value = ''] = /^([A-Za-z][A-Za-z\d-]*)=([^\s\p{Cc}](?:[^\p{Cc}\u2028\u2029]*[^\s\p{Cc}])?)$/u.exec(text) ?? [];
  if (label === '') throw new InvalidArgumentError('NAME=VALUE on one line, such as Contact-Email=archive@example.org');
  const own = OWN_LABELS.find((one) => one.toLowerCase() === label.toLowerCase());
  if (own !== undefined) throw new InvalidArgumentError(`another name than ${OWN_LABELS.join(' and ')}, because palimpsest writes these`);
  return { label, value };
}

const SOURCE_SCHEMES = ['s3', 'https', 'http'];

/** A path or an address to read. */
export function source(text: string): string {
  const scheme = schemeOf(text);
  if (scheme !== undefined && (!SOURCE_SCHEMES.includes(scheme) || !text.includes('://'))) {
    throw new InvalidArgumentError(`a path, s3://bucket/prefix or an https URL. Write ./${scheme}:/ for a folder with that name`);
  }
  if (scheme?.startsWith('http') && !URL.canParse(text)) throw new InvalidArgumentError('a URL with a host');
  return text;
}

export function oneOf(words: readonly string[]): (text: string) => string {
  return (text) => {
    if (words.includes(text)) return text;
    throw new InvalidArgumentError(`one of ${words.join(', ')}`);
  };
}

/** Parses the name of a field, in any case. */
export function field(text: string): DataType {
  const found = DATA_TYPES.find((type) => type.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  throw new InvalidArgumentError(`one of ${DATA_TYPES.join(', ')}`);
}

/** Parses a time with a time zone. */
export function instant(text: string): Instant {
  const value = parseInstant(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('a time with a time zone from 1970 to 2255, such as 2017-09-19T20:47:28Z');
}

/** Parses a time with a time zone, or a date. A date means 00:00 UTC. */
export function timeOrDate(text: string): Instant {
  const value = parseInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('a date such as 2017-09-19, or a time with a time zone such as 2017-09-19T20:47:28Z');
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`a whole number from ${least} to ${most}`);
  };
}

/** Parses a percentage. Returns a share from 0 to 1. */
export function percentage(text: string): number {
  const [, digits] = /^(\d{1,3})%$/.exec(text) ?? [];
  if (digits !== undefined && Number(digits) <= 100) return Number(digits) / 100;
  throw new InvalidArgumentError('a percentage from 0% to 100%, such as 20%');
}

/** Returns a parser of a number of items, or a share such as `10%`. */
export function limitOf(items: string): (text: string) => { readonly most: number } | { readonly share: number } {
  return (text) => {
    const match = /^(\d{1,9})(%?)$/.exec(text);
    if (match === null || (match[2] === '%' && Number(match[1]) > 100)) {
      throw new InvalidArgumentError(`a number of ${items}, or a percentage such as 10%`);
    }
    return match[2] === '%' ? { share: Number(match[1]) / 100 } : { most: Number(match[1]) };
  };
}

/** Parses a duration in days, such as `90d`. Returns milliseconds. */
export function days(text: string): number {
  const match = /^([1-9]\d{0,4})d$/.exec(text);
  if (match !== null) return Number(match[1]) * DAY_MS;
  throw new InvalidArgumentError(
    'a duration in days, such as 90d; for a number of days, use --keep-daily; store push also has --keep-last for a number of versions',
  );
}

/** Parses the number of a version. A word after `--rollback` is its value, also if the user meant the target. */
export function versionNumber(text: string): number {
  const value = /^\d{1,8}$/.test(text) ? Number(text) : 0;
  if (value >= 1) return value;
  throw new InvalidArgumentError('the number of a version, or no value; write the target before --rollback');
}

const DURATION = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m|h)$/;
const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Returns a parser of durations, in milliseconds. Timers of Node.js cannot take more than 24 days. */
export function duration(least: string, most: string): (text: string) => number {
  return (text) => {
    const value = millisecondsOf(text);
    if (value >= millisecondsOf(least) && value <= millisecondsOf(most)) return value;
    const example = /^\d+$/.test(text) ? `${text}s` : '30s';
    throw new InvalidArgumentError(`a duration with a unit, from ${least} to ${most}, such as ${example}`);
  };
}

function millisecondsOf(time: string): number {
  const [, value, unit = ''] = DURATION.exec(time) ?? [];
  return Number(value) * (UNITS[unit] ?? Number.NaN);
}

export function encodings(text: string): Encoding[] {
  if (text === 'none') return [];
  const names = text.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !ENCODINGS.some((encoding) => encoding === name));
  if (unknown !== undefined) throw new InvalidArgumentError(`${ENCODINGS.join(', ')}, ${ENCODINGS.join(',')} or none`);
  return ENCODINGS.filter((encoding) => names.includes(encoding));
}

/**
 * Parses an http or https URL that has {} after the host. Profiles supply the replacement of {}, and they must not be able to
 * choose the host of a link.
 */
export function linkTemplate(text: string): string {
  const [one, other] = ['a', 'b'].map((name) => text.replaceAll('{}', name));
  const isWeb = /^https?:\/\/[^/\\]/i.test(text) && !UNSAFE.test(text);
  if (isWeb && one !== undefined && other !== undefined && one !== other && URL.canParse(one) && URL.canParse(other)) {
    const { origin, username, password } = new URL(one);
    if (origin === new URL(other).origin && username === '' && password === '') return text;
  }
  throw new InvalidArgumentError('an http or https URL with {} in its path, query or fragment, such as https://example.org/@{}');
}

/** The endings of archives, which no new folder should have. */
const ARCHIVE = /\.(tar|tgz|tbz2?|txz|gz|zst|bz2|xz|zip|7z|rar|warc|wacz)\/*$/i;
const TABLE = /\.(csv|tsv|parquet|json|jsonl|ndjson|xlsx)\/*$/i;

/** Parses the path of a folder to write. Rejects names such as `bag.zip`, because they would become folders. */
export function folder(text: string): string {
  const [ending] = ARCHIVE.exec(text) ?? [];
  if (ending === undefined || isFolder(text)) return path(text);
  throw new InvalidArgumentError(`a name that does not end in ${ending}, because a folder is written`);
}

/** Parses the path of a tree to build. A ZIP is the only archive that can be one. */
export function folderOrZip(text: string): string {
  if (text.endsWith('.zip') || !ARCHIVE.test(text) || isFolder(text)) return path(text);
  throw new InvalidArgumentError('a folder, or a file with a name that ends in .zip');
}

/** Returns a parser that rejects names such as `history.csv.gz` and `history.parquet` for CSV, because they would become folders. */
export function folderOrTable(extension: string): (text: string) => string {
  return (text) => {
    const isOther = ARCHIVE.test(text) || TABLE.test(text);
    if (text.toLowerCase().endsWith(`.${extension}`) || !isOther || isFolder(text)) return path(text);
    throw new InvalidArgumentError(`a folder, or a file with a name that ends in .${extension}, which is not compressed`);
  };
}

function isFolder(text: string): boolean {
  return existsSync(`${text}/.`);
}
