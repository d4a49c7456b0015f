import { type Instant, parseInstant } from '../contract/instant.ts';
import type { Observation } from '../contract/observation.ts';
import { LruMap } from './lru-map.ts';

/** How much text is remembered, in UTF-16 units. */
const CACHE_UNITS = 1 << 23;
/** After so many texts of which fewer than one in twenty came again, it is not tried any longer. */
const TRIAL = 200_000;
const NAME = '"observed_at"';
const KEY = `${NAME}:`;

/** A snapshot's text in three: what stands before its time, the time, and what stands after. */
interface Parts {
  /** The text without the time. */
  readonly frame: string;
  readonly moment: Instant;
}

/**
 * Snapshots in the neutral form that have been read. Most of an archive says again what it said before, at
 * another time: such a text is the same but for its time, and needs not be parsed and checked once more.
 */
export class SnapshotCache {
  #observations: LruMap<Observation> | undefined = new LruMap(CACHE_UNITS);
  #tried = 0;
  #found = 0;

  /** The observation that a text makes if it differs from an earlier one in its time alone. */
  find(text: string): Observation | undefined {
    if (this.#observations === undefined) return undefined;
    this.#tried += 1;
    if (this.#tried > TRIAL) this.#judge();
    const parts = partsOf(text);
    if (parts === undefined) return undefined;
    const earlier = this.#observations?.get(parts.frame);
    if (earlier === undefined) return undefined;
    this.#found += 1;
    const { web_archive_url, profile, former_names } = earlier;
    return { observed_at: parts.moment, web_archive_url, profile, former_names };
  }

  /** Remembers what a text was found to say. */
  add(text: string, observation: Observation): void {
    if (this.#observations === undefined) return;
    const parts = partsOf(text);
    // its time must be the one that was found, and not that of something within it
    if (parts?.moment === observation.observed_at) this.#observations.set(parts.frame, observation);
  }

  #judge(): void {
    if (this.#found * 20 < this.#tried) this.#observations = undefined;
    this.#tried = 0;
    this.#found = 0;
  }
}

/** Undefined where it is not plain which part of the text is its time. */
function partsOf(text: string): Parts | undefined {
  const key = text.indexOf(KEY);
  const start = text.indexOf('"', key + KEY.length) + 1;
  const end = text.indexOf('"', start);
  if (key === -1 || start === 0 || end === -1 || start - key > KEY.length + 2) return undefined;
  // a second one, which an escape may hide, would count instead of the first
  if (text.indexOf(NAME, end) !== -1 || text.includes('\\u00')) return undefined;
  const moment = parseInstant(text.slice(start, end));
  return moment === undefined ? undefined : { frame: text.slice(0, start) + text.slice(end), moment };
}
