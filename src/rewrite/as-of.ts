import { type Answer, COLLECTION_HEADERS } from './resolve.ts';

/** Chooses the version that a value of `as_of` selects. Hosts run this source too, in the dialect of answer.ts. */

/** A version with its time. */
export interface Dated {
  readonly number: number;
  /** In ISO 8601. */
  readonly time: string;
}

const INVALID: Answer = {
  status: 400,
  headers: COLLECTION_HEADERS,
  body: '{"detail":"Invalid as_of. It is a number of a version, a date as 2026-11-20, or a time as 2026-11-20T03:00:00Z."}',
};

const UNKNOWN: Answer = {
  status: 404,
  headers: COLLECTION_HEADERS,
  body: '{"detail":"No such version. as_of is the number of a version, or a date or time that is not before all versions."}',
};

/**
 * Returns the version with a number, or the last one up to a time; the last one of all if neither is given.
 * @param versions in ascending order, at least one
 */
export function versionAt<V extends Dated>(versions: readonly V[], asOf: string | undefined): V | Answer {
  const isNumber = /^\d{1,15}$/.test(String(asOf));
  const wanted = isNumber ? Number(asOf) : timeIn(String(asOf));
  if (asOf !== undefined && wanted === undefined) return INVALID;
  const found =
    asOf === undefined
      ? versions
      : versions.filter((each) => (isNumber ? each.number === wanted : Number(timeIn(each.time)) <= Number(wanted)));
  return found[found.length - 1] || UNKNOWN;
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d)))?$/;

/**
 * Parses a date (midnight in UTC) or a time with a zone. Returns milliseconds since 1970. `Date.parse` of njs supports no
 * zone but Z, and that of other engines accepts February 30.
 */
function timeIn(text: string): number | undefined {
  const match = TIME.exec(text);
  if (match === null || (match[3] === undefined && match[4] !== undefined)) return undefined;
  const utc = `${match[1]}T${match[2] || '00:00'}${match[3] || ':00'}.${`${match[4] || ''}000`.slice(0, 3)}Z`;
  const time = Date.parse(utc);
  if (Number.isNaN(time) || new Date(time).toISOString() !== utc) return undefined;
  const offset = match[5] === undefined ? 0 : Number(match[6]) * 60 + Number(match[7]);
  return time - (match[5] === '-' ? -offset : offset) * 60000;
}
