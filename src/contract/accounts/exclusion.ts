import { hash } from 'node:crypto';
import { encodeJson, isObject } from '../json.ts';
import { identifier, list, parseShape, type Rule, type Shape, Violation, wholeSecond } from '../json-shape.ts';
import { handleKey } from './handle.ts';

/**
 * What keeps a removed account from coming back. It contains no name: only hashes of its handles and stable ids, and the
 * numbers of its records.
 */
export interface Exclusion {
  /** UTC, with a resolution of one second, such as `2026-11-21T23:00:00Z`. */
  readonly excluded_at: string;
  /** The hashes of its handles, sorted. See {@link handleHash} and {@link sharedHandleHash}. */
  readonly handles: readonly string[];
  /** The hashes of its stable ids, sorted. See {@link stableIdHash}. */
  readonly stable_ids: readonly string[];
  /** The ids of its records that a service gave, sorted. They recognize the account if the service renames it. */
  readonly records: readonly number[];
}

/** Returns the hash of a handle in an exclusion. All spellings of a handle have the same hash. */
export function handleHash(handle: string): string {
  return hashOf(handleKey(handle));
}

function hashOf(key: string): string {
  return hash('sha256', `palimpsest exclusion handle ${key}`);
}

/**
 * Returns the hash that stands among those of handles for a handle that another account can have: only together with one of the
 * removed records it is that of the removed account. No handle has a line feed.
 */
export function sharedHandleHash(handle: string, record: number): string {
  return hashOf(`${handleKey(handle)}\n${record}`);
}

export function stableIdHash(id: string): string {
  return hash('sha256', `palimpsest exclusion stable_id ${id}`);
}

const isSorted = <T>(values: readonly T[]): boolean => values.every((value, index) => index === 0 || (values[index - 1] ?? value) < value);

const hashes: Rule<readonly string[]> = {
  expected: 'an array of SHA-256 hashes in hexadecimal digits, sorted, each once',
  accepts: (value): value is readonly string[] =>
    list.accepts(value) && value.every((one) => typeof one === 'string' && /^[0-9a-f]{64}$/.test(one)) && isSorted(value),
};
const recordIds: Rule<readonly number[]> = {
  expected: 'an array of record ids, sorted, each once',
  accepts: (value): value is readonly number[] => list.accepts(value) && value.every(identifier.accepts) && isSorted(value),
};

const SHAPE: Shape<Exclusion> = { excluded_at: wholeSecond, handles: hashes, stable_ids: hashes, records: recordIds };

/** @throws Violation at the first field that breaks its rule */
export function parseExclusion(value: unknown, path = ''): Exclusion {
  const exclusion = parseShape(SHAPE, value, path);
  if (exclusion.handles.length + exclusion.stable_ids.length > 0) return exclusion;
  throw new Violation(path || 'handles', 'at least one handle or stable id', 'none');
}

/** Returns the line of an exclusion in an export: one JSON object. */
export function encodeExclusion({ excluded_at, handles, stable_ids, records }: Exclusion): string {
  return encodeJson({ excluded_at, handles, stable_ids, records });
}

export interface ExcludedAccount {
  readonly screen_name: string;
  /** Its records on the page. */
  readonly records: readonly { readonly [field: string]: unknown }[];
  /** Whether only its handle is excluded: another account can have had it before. */
  readonly onlyByHandle: boolean;
}

/**
 * Returns a function that finds the accounts of exclusions on a page of accounts: those with an excluded handle or record, and those
 * whose handle another account has now.
 */
export function excludedAccounts(exclusions: readonly Exclusion[]): (page: unknown) => readonly ExcludedAccount[] {
  const handles = new Set(exclusions.flatMap((one) => one.handles));
  const ids = new Set(exclusions.flatMap((one) => one.records));
  return (page) => {
    const accounts = isObject(page) && Array.isArray(page['results']) ? page['results'].filter(isObject) : [];
    return accounts.flatMap(({ screen_name, data }) => {
      if (typeof screen_name !== 'string') return [];
      const records = Array.isArray(data) ? data.filter(isObject) : [];
      const onlyByHandle = !records.some(
        ({ id }) => typeof id === 'number' && (ids.has(id) || handles.has(sharedHandleHash(screen_name, id))),
      );
      return onlyByHandle && !handles.has(handleHash(screen_name)) ? [] : [{ screen_name, records, onlyByHandle }];
    });
  };
}
