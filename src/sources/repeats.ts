import { type Moment, momentOf } from '../contract/moment.ts';
import type { Observation } from '../contract/observation.ts';

/** How much text is remembered, in UTF-16 units. */
const REMEMBERED = 1 << 24;
const KEY = '"observed_at":';

/** A snapshot's text in three: what stands before its time, the time, and what stands after. */
interface Parts {
  /** The text without the time. */
  readonly frame: string;
  readonly moment: Moment;
}

/**
 * Snapshots that have been read. Most of an archive says again what it said before, at another time: such
 * a text is the same but for its time, and needs not be parsed and checked once more.
 */
export class Repeats {
  readonly #observations = new Map<string, Observation>();
  #remembered = 0;

  /** The observation that a text makes if it differs from an earlier one in its time alone. */
  find(text: string): Observation | undefined {
    const parts = partsOf(text);
    const earlier = parts && this.#observations.get(parts.frame);
    return earlier && { ...earlier, observed_at: parts.moment };
  }

  /** Remembers what a text was found to say. */
  add(text: string, observation: Observation): void {
    const parts = partsOf(text);
    // its time must be the one that was found, and not that of something within it
    if (parts?.moment !== observation.observed_at) return;
    this.#remembered += parts.frame.length;
    if (this.#remembered > REMEMBERED) {
      this.#observations.clear();
      this.#remembered = parts.frame.length;
    }
    this.#observations.set(ownCopy(parts.frame), observation);
  }
}

/** A string that does not keep the megabyte alive out of which it was cut: V8 joins and cuts by reference. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}

/** Undefined where it is not plain which part of the text is its time. */
function partsOf(text: string): Parts | undefined {
  const key = text.indexOf(KEY);
  const start = text.indexOf('"', key + KEY.length) + 1;
  const end = text.indexOf('"', start);
  if (key === -1 || start === 0 || end === -1 || start - key > KEY.length + 2) return undefined;
  // a second one, which an escape may hide, would count instead of the first
  if (text.indexOf(KEY, end) !== -1 || text.includes('\\u00')) return undefined;
  const moment = momentOf(text.slice(start, end));
  return moment === undefined ? undefined : { frame: text.slice(0, start) + text.slice(end), moment };
}
