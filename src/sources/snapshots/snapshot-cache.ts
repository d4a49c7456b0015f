import { type Instant, parseInstant } from '../../contract/instant.ts';
import type { Observation } from '../../contract/observation.ts';
import { ClockMap } from '../clock-map.ts';

/** The capacity of the cache, in UTF-16 units. */
const CACHE_UNITS = 1 << 24;
/** The estimated size of an observation in memory beside its text, in UTF-16 units. */
const OBSERVATION_UNITS = 400;
/** The cache is given up if fewer than one text in twenty is found among this many. */
const TRIAL_TEXTS = 200_000;
const NAME = '"observed_at"';
const KEY = `${NAME}:`;

/** The text of a snapshot, divided into its time and the rest. */
interface Parts {
  /** The text without the time. */
  readonly frame: string;
  readonly instant: Instant;
}

/**
 * A cache of neutral snapshots that were read before.
 * Most snapshots of an archive repeat an earlier one at another time. Such a text differs only in its time,
 * and it is not parsed and checked again.
 */
export class SnapshotCache {
  #observations: ClockMap<string, Observation> | undefined = new ClockMap(CACHE_UNITS);
  #tried = 0;
  #found = 0;

  /** Returns the observation if the text differs from an earlier one only in its time. */
  find(text: string): Observation | undefined {
    if (this.#observations === undefined) return undefined;
    this.#tried += 1;
    if (this.#tried > TRIAL_TEXTS) this.#disableIfUseless();
    const parts = partsOf(text);
    if (parts === undefined) return undefined;
    const earlier = this.#observations?.get(parts.frame);
    if (earlier === undefined) return undefined;
    this.#found += 1;
    const { web_archive_url, profile, former_names } = earlier;
    return { observed_at: parts.instant, web_archive_url, profile, former_names };
  }

  /** Stores the observation of a text. */
  add(text: string, observation: Observation): void {
    if (this.#observations === undefined) return;
    const parts = partsOf(text);
    // the time found in the text must be the time of the snapshot, not of a nested object
    if (parts?.instant !== observation.observed_at) return;
    this.#observations.set(ownCopy(parts.frame), observation, parts.frame.length + OBSERVATION_UNITS);
  }

  #disableIfUseless(): void {
    if (this.#found * 20 < this.#tried) this.#observations = undefined;
    this.#tried = 0;
    this.#found = 0;
  }
}

/** Returns undefined if it is unclear which part of the text is the time. */
function partsOf(text: string): Parts | undefined {
  const key = text.indexOf(KEY);
  const start = text.indexOf('"', key + KEY.length) + 1;
  const end = text.indexOf('"', start);
  if (key === -1 || start === 0 || end === -1 || start - key > KEY.length + 2) return undefined;
  // JSON.parse uses the last of two equal names, and an escape may hide the second one
  if (text.indexOf(NAME, end) !== -1 || text.includes('\\u00')) return undefined;
  const instant = parseInstant(text.slice(start, end));
  return instant === undefined ? undefined : { frame: text.slice(0, start) + text.slice(end), instant };
}

/** Copies a string. V8 joins and slices strings by reference, so a slice keeps the megabyte it was cut from in memory. */
function ownCopy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
