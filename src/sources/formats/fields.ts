import { isWholeSecond } from '../../contract/dates.ts';
import { type Instant, parseInstant } from '../../contract/instant.ts';
import { isObject, show } from '../../contract/json.ts';
import { at, handle, Violation, webUrlOrEmpty } from '../../contract/shape.ts';
import type { CaptureContext, JsonObject } from './format.ts';

/**
 * What a snapshot's fields hold. Each takes the value that was found (undefined where there is none, which
 * is given back), and the path and name for the error.
 * @throws Violation where the value is of another kind
 */

/** A text; null is an empty one. */
export function textField(found: unknown, path: string, field: string): string | undefined {
  if (typeof found === 'string' || found === undefined) return found;
  if (found === null) return '';
  throw new Violation(at(path, field), 'a string or null', show(found));
}

/** A text of which null is kept: there is none. */
export function websiteField(found: unknown, path: string, field: string): string | null | undefined {
  return found === null ? null : textField(found, path, field);
}

/** @throws Violation also where there is none */
export function handleField(found: unknown, path: string, field: string): string {
  if (handle.accepts(found)) return found;
  throw new Violation(at(path, field), handle.expected, found === undefined ? 'no such field' : show(found));
}

/** What identifies an account; none where it is null or empty. A number is one as long as it is exact. */
export function idField(found: unknown, path: string, field: string): string | undefined {
  if (found === undefined || found === null || found === '') return undefined;
  if (handle.accepts(found)) return found;
  if (typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 && !Object.is(found, -0)) return String(found);
  throw new Violation(
    at(path, field),
    'an id as a string without control characters, or an integer up to 9007199254740991',
    show(found),
    'write ids as strings: numbers beyond 9007199254740991 lose their last digits',
  );
}

/** True or false; null is not an observation. */
export function flagField(found: unknown, path: string, field: string): boolean | undefined {
  if (typeof found === 'boolean') return found;
  if (found === undefined || found === null) return undefined;
  throw new Violation(at(path, field), 'true, false or null', show(found));
}

/**
 * An image's http or https URL, or "" for none. A service's default images may have paths only (Mastodon's
 * `/avatars/original/missing.png`): that is as good as not observed, and no reason to refuse the rest.
 */
export function imageField(found: unknown, path: string, field: string): string | undefined {
  const text = textField(found, path, field);
  return text === undefined || isUrlOrEmpty(text) ? text : undefined;
}

/** Whether a text is an http or https URL, or empty, once NUL is taken out of it as of every text. */
export function isUrlOrEmpty(found: unknown): boolean {
  return typeof found === 'string' && webUrlOrEmpty.accepts(found.replaceAll('\0', ''));
}

/** A time as accounts have it, cut to whole seconds; null or "" for none. */
export function dateField(found: unknown, path: string, field: string): string | null | undefined {
  if (found === undefined || found === null) return found;
  if (found === '') return null;
  const date = typeof found === 'string' ? wholeSecondOf(found) : undefined;
  if (date !== undefined) return date;
  throw new Violation(at(path, field), 'a time such as "2010-11-29T21:18:15Z", or null', show(found));
}

/** An object, where there is one. */
export function objectIn(value: unknown, key: string): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const found = value[key];
  return isObject(found) ? found : undefined;
}

/** When a snapshot was taken that does not say so itself. */
export function captureTime({ observedAt }: CaptureContext, path: string): Instant {
  if (observedAt !== undefined) return observedAt;
  const hint = 'say when such snapshots were taken: --observed-at 2017-09-19T20:47:28Z';
  throw new Violation(path || 'item', 'a snapshot that tells its time, or --observed-at', 'one without a time', hint);
}

const ISO = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):?(\d\d))$/;

/** An ISO 8601 time with a zone, in UTC, without what is below a second; undefined where the text is none. */
function wholeSecondOf(text: string): string | undefined {
  if (isWritten(text)) return text;
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

/** Whether a time is written as it is kept: read by hand, as the most that come are, for its speed. */
function isWritten(text: string): boolean {
  return text.length === 20 && text.charAt(10) === 'T' && text.charAt(19) === 'Z' && parseInstant(text) !== undefined;
}
