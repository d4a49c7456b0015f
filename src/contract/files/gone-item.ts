import { isBaseUrl } from '../base-url.ts';
import { encodeJson } from '../json.ts';
import { handle, identifierOrNull, orNull, parseShape, type Rule, rule, type Shape, Violation, wholeSecond } from '../json-shape.ts';

/** An item that a mirrored service no longer has: either a record or an account. */
export interface GoneItem {
  /** When a run of mirror first found that, in UTC. */
  readonly gone_at: string;
  readonly base_url: string;
  /** The id of the record; null for an account. */
  readonly record: number | null;
  /** The screen name of the account; null for a record. */
  readonly account: string | null;
}

const baseUrl: Rule<string> = rule('a base URL', (value): value is string => typeof value === 'string' && isBaseUrl(value));

const SHAPE: Shape<GoneItem> = { gone_at: wholeSecond, base_url: baseUrl, record: identifierOrNull, account: orNull(handle) };

/** @throws Violation at the first field that breaks its rule */
export function parseGoneItem(value: unknown, path = ''): GoneItem {
  const item = parseShape(SHAPE, value, path);
  if ((item.record === null) !== (item.account === null)) return item;
  throw new Violation(path || 'record', 'either a record or an account', item.record === null ? 'none' : 'both');
}

/** Returns the line of an item in an export: one JSON object. */
export function encodeGoneItem({ gone_at, base_url, record, account }: GoneItem): string {
  return encodeJson({ gone_at, base_url, record, account });
}
