import { type Moment, momentOf } from '../contract/moment.ts';
import type { Observation } from '../contract/observation.ts';

/** How much text is remembered, in UTF-16 units, until half of it is forgotten: the half that has not come again. */
const REMEMBERED = 1 << 23;
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
  #recent = new Map<string, Observation>();
  #older = new Map<string, Observation>();
  /** Units of text among the recent. */
  #length = 0;

  /** The observation that a text makes if it differs from an earlier one in its time alone. */
  find(text: string): Observation | undefined {
    const parts = partsOf(text);
    if (parts === undefined) return undefined;
    const { frame, moment } = parts;
    const earlier = this.#recent.get(frame) ?? this.#again(frame);
    return (
      earlier && {
        observed_at: moment,
        web_archive_url: earlier.web_archive_url,
        profile: earlier.profile,
        former_names: earlier.former_names,
      }
    );
  }

  /** Remembers what a text was found to say. */
  add(text: string, observation: Observation): void {
    const parts = partsOf(text);
    // its time must be the one that was found, and not that of something within it
    if (parts?.moment === observation.observed_at) this.#remember(parts.frame, observation);
  }

  #again(frame: string): Observation | undefined {
    const earlier = this.#older.get(frame);
    if (earlier !== undefined) this.#remember(frame, earlier);
    return earlier;
  }

  #remember(frame: string, observation: Observation): void {
    this.#length += frame.length;
    if (this.#length > REMEMBERED / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#length = frame.length;
    }
    this.#recent.set(ownCopy(frame), observation);
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
