import { type Instant, isWholeSecond, parseInstant } from '../../contract/instant.ts';
import { isObject, show } from '../../contract/json.ts';
import { at, handle, Violation, webUrlOrEmpty } from '../../contract/json-shape.ts';
import type { CaptureContext, JsonObject } from './format.ts';

/**
 * Readers for the fields of a snapshot. Each takes the value (undefined if the field is missing), and the path
 * and name for the error. A missing field gives undefined.
 * @throws Violation if the value has another type
 */

/** Reads a text; null means "". */
export function textField(found: unknown, path: string, field: string): string | undefined {
  if (typeof found === 'string' || found === undefined) return found;
  if (found === null) return '';
  throw new Violation(at(path, field), 'a string or null', show(found));
}

/** Reads a text and keeps null, which means that there is no website. */
export function websiteField(found: unknown, path: string, field: string): string | null | undefined {
  return found === null ? null : textField(found, path, field);
}

/** @throws Violation also if the field is missing */
export function handleField(found: unknown, path: string, field: string): string {
  if (handle.accepts(found)) return found;
  throw new Violation(at(path, field), handle.expected, found === undefined ? 'no such field' : show(found));
}

/** Reads the id of an account; undefined if it is null or empty. A number is accepted if it is exact. */
export function idField(found: unknown, path: string, field: string): string | undefined {
  if (found === undefined || found === null || found === '') return undefined;
  if (handle.accepts(found)) return found;
  if (typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 && !Object.is(found, -0)) return String(found);
  throw new Violation(
    at(path, field),
    'an id as a string without control characters of ASCII, or an integer up to 9007199254740991',
    show(found),
    'write ids as strings: numbers beyond 9007199254740991 lose their last digits',
  );
}

/** Reads a boolean; null means that the field was not observed. */
export function flagField(found: unknown, path: string, field: string): boolean | undefined {
  if (typeof found === 'boolean') return found;
  if (found === undefined || found === null) return undefined;
  throw new Violation(at(path, field), 'true, false or null', show(found));
}

/**
 * Reads the http or https URL of an image, or "" for none.
 * The default images of a service may be paths only (`/avatars/original/missing.png` of Mastodon). Such an
 * image counts as not observed, and the rest of the snapshot is still accepted.
 */
export function imageField(found: unknown, path: string, field: string): string | undefined {
  const text = textField(found, path, field);
  return text === undefined || isUrlOrEmpty(text) ? text : undefined;
}

/** Whether a text is empty or an http or https URL. NUL is ignored because it is removed from every text. */
export function isUrlOrEmpty(found: unknown): boolean {
  return typeof found === 'string' && webUrlOrEmpty.accepts(found.replaceAll('\0', ''));
}

/** Reads a creation date, truncated to whole seconds; null or "" means none. */
export function dateField(found: unknown, path: string, field: string): string | null | undefined {
  if (found === undefined || found === null) return found;
  if (found === '') return null;
  const date = typeof found === 'string' ? wholeSecondOf(found) : undefined;
  if (date !== undefined) return date;
  throw new Violation(at(path, field), 'a time such as "2010-11-29T21:18:15Z", or null', show(found));
}

export function objectIn(value: unknown, key: string): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const found = value[key];
  return isObject(found) ? found : undefined;
}

/**
 * Returns the time of a snapshot: its `observed_at`, which a document of any format may have beside its own fields, or else the time
 * of the run or the path.
 * @throws Violation if there is no time
 */
export function captureTime(snapshot: JsonObject, path: string, { observedAt }: CaptureContext): Instant {
  const own = snapshot['observed_at'];
  const time = own === undefined ? observedAt : instantField(own, path, 'observed_at');
  if (time !== undefined) return time;
  const hint =
    'add observed_at to each snapshot, write the time into the name of its file or folder (2017-09-19/), or name one time for all: --observed-at 2017-09-19T20:47:28Z';
  throw new Violation(path || 'item', 'a snapshot with its time, or --observed-at', 'a snapshot without a time from 1970 to 2255', hint);
}

/** @throws Violation also if the field is missing */
export function instantField(found: unknown, path: string, field: string): Instant {
  const instant = typeof found === 'string' ? parseInstant(found) : undefined;
  if (instant !== undefined) return instant;
  const expected = 'an ISO 8601 time with a zone such as "2023-11-18T16:29:12Z", from 1970 to 2255';
  throw new Violation(at(path, field), expected, show(found));
}

const ISO = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):?(\d\d))$/;

/** Converts an ISO 8601 time with a zone to UTC in whole seconds; undefined if the text is not such a time. */
function wholeSecondOf(text: string): string | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, day = '', time = '', sign, hours = '0', minutes = '0'] = match;
  const local = `${day}T${time}Z`;
  if (!isWholeSecond(local) || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  if (offset === 0) return local;
  const utc = `${new Date(Date.parse(local) - offset).toISOString().slice(0, 19)}Z`;
  return isWholeSecond(utc) ? utc : undefined;
}
