import type { Collection } from '../../contract/collection.ts';
import { ENVELOPE_TAIL, parseEnvelope } from '../../contract/envelope.ts';
import { encodeJson, isObject } from '../../contract/json.ts';

/** A page that also shows items of its older version. */
export interface OverlapPage {
  readonly bytes: Buffer;
  /** Whether items of the older page sort before those of the newer page, which means that they move to an earlier page. */
  readonly movesForward: boolean;
}

const KEYS = { data: 'id', account: 'screen_name' } as const;

/**
 * Returns the newer page, followed by the items that only its older version has, so that a reader misses nothing.
 * Returns undefined if both have the same items, because no overlap page is needed then.
 * @throws SyntaxError, Violation if the older file is not a page
 */
export function overlapPage(collection: Collection, older: Buffer, newer: Buffer): OverlapPage | undefined {
  const key = (item: unknown) => (isObject(item) ? item[KEYS[collection]] : undefined);
  const items = parseEnvelope(JSON.parse(newer.toString())).results;
  const before = parseEnvelope(JSON.parse(older.toString())).results;
  const known = new Set(items.map(key));
  const leaving = before.filter((item) => !known.has(key(item)));
  if (leaving.length === 0) return before.length === items.length ? undefined : { bytes: newer, movesForward: false };
  const text = newer.toString().slice(0, -ENVELOPE_TAIL.length);
  const newest = key(items[0]);
  return {
    bytes: Buffer.from(`${text}${items.length === 0 ? '' : ','}${leaving.map(encodeJson).join(',')}${ENVELOPE_TAIL}`),
    movesForward: collection === 'data' && leaving.some((item) => Number(key(item)) > Number(newest)),
  };
}
