import type { Collection } from '../contract/collection.ts';
import { ENVELOPE_TAIL, parseEnvelope } from '../contract/envelope.ts';
import { encodeJson, isObject } from '../contract/json.ts';

/** What a page looks like while it shows an older version's items too. */
export interface OverlapPage {
  readonly bytes: Buffer;
  /** Whether items of the older page stand before the newer one's: then they are on their way to an earlier page. */
  readonly movesForward: boolean;
}

const KEYS = { data: 'id', account: 'screen_name' } as const;

/**
 * A page as it will be, with those items of its older version after its own that it will not have: it takes
 * nothing away from anybody. Undefined where both have the same items: then there is nothing to overlap page.
 * @throws SyntaxError, Violation where the older page is no page
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
