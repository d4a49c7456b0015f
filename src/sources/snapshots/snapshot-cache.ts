import { parseInstant } from '../../contract/instant.ts';
import type { Observation } from '../../contract/snapshots/observation.ts';
import { BoundedMap } from '../bounded-map.ts';

/** The capacity of the cache, in UTF-16 units. */
const CACHE_UNITS = 1 << 24;
/** The estimated size of an observation in memory beside its text, in UTF-16 units. */
const OBSERVATION_UNITS = 400;
const NAME = '"observed_at"';
const KEY = `${NAME}:`;
/** How much of the beginning of a text, and of the text after the time, is in its key: the id and the handle usually are. In UTF-16 units. */
const KEY_UNITS = 64;

/** An observation, and its text without the time. */
interface CachedSnapshot {
  readonly before: string;
  readonly after: string;
  readonly observation: Observation;
}

interface TimePlace {
  readonly start: number;
  readonly end: number;
}

/**
 * A cache of neutral snapshots that were read before.
 * Most snapshots of an archive repeat an earlier one at another time. Such a text differs only in its time,
 * and it is not parsed and checked again. The cache has one snapshot for each key: to hash a whole text takes longer than to compare it.
 */
export class SnapshotCache {
  readonly #cached = new BoundedMap<string, CachedSnapshot>(CACHE_UNITS);

  /** Returns the observation if the text differs from an earlier one only in its time. */
  find(text: string): Observation | undefined {
    const place = timeIn(text);
    const earlier = place && this.#cached.get(keyOf(text, place));
    if (place === undefined || earlier === undefined) return undefined;
    if (text.slice(place.end) !== earlier.after || text.slice(0, place.start) !== earlier.before) return undefined;
    const observed_at = parseInstant(text.slice(place.start, place.end));
    if (observed_at === undefined) return undefined;
    const { web_archive_url, profile, former_names } = earlier.observation;
    return { observed_at, web_archive_url, profile, former_names };
  }

  add(text: string, observation: Observation): void {
    const place = timeIn(text);
    if (place === undefined) return;
    const { start, end } = place;
    // JSON.parse uses the last of two equal names, and an escape may hide the second one
    if (text.indexOf(NAME, end) !== -1 || text.includes('\\u00')) return;
    // the time found in the text must be the time of the snapshot, not of a nested object
    if (parseInstant(text.slice(start, end)) !== observation.observed_at) return;
    const cached = { before: ownCopy(text.slice(0, start)), after: ownCopy(text.slice(end)), observation };
    this.#cached.set(ownCopy(keyOf(text, place)), cached, text.length + OBSERVATION_UNITS);
  }
}

/** Returns undefined if it is unclear which part of the text is the time. */
function timeIn(text: string): TimePlace | undefined {
  const key = text.indexOf(KEY);
  const start = text.indexOf('"', key + KEY.length) + 1;
  const end = text.indexOf('"', start);
  return key === -1 || start === 0 || end === -1 || start - key > KEY.length + 2 ? undefined : { start, end };
}

function keyOf(text: string, { start, end }: TimePlace): string {
  return text.slice(0, Math.min(start, KEY_UNITS)) + text.slice(end, end + KEY_UNITS);
}

/** Copies a string. V8 joins and slices strings by reference, so a slice keeps the megabyte it was cut from in memory. */
function ownCopy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
