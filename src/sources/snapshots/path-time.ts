import { type Instant, parseInstant, timestampOf } from '../../contract/instant.ts';
import type { CaptureContext } from '../formats/format.ts';

/** An ISO 8601 date, also with a time. Names of files often have `-` or nothing instead of `:`. */
const DATE = /(?<!\d)(\d{4}-\d\d-\d\d|\d{8}(?=T\d{4}))(?:T(\d\d)[-:]?(\d\d)(?:[-:]?(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?(?!\d)/g;

/**
 * Returns the time in a path: the ISO 8601 date or time in the name of the file, or else of the nearest folder or archive. A date is
 * its first moment, and a time without a zone is in UTC.
 * @returns undefined if there is none, or if the nearest name with a date has several
 */
export function timeInPath(path: string): Instant | undefined {
  for (const name of path.split(/[/\\]|: /).reverse()) {
    const times = new Set(Array.from(name.matchAll(DATE), instantOf));
    if (times.size > 0) return times.size === 1 ? times.values().next().value : undefined;
  }
  return undefined;
}

/** Returns a function that adds the time in the path of a file to a context without a time. */
export function contextByPath(context: CaptureContext): (file: string | undefined) => CaptureContext {
  if (context.observedAt !== undefined || context.isReject) return () => context;
  let last = '';
  let taken = context;
  return (file = '') => {
    if (file !== last) {
      const observedAt = timeInPath(file);
      taken = observedAt === undefined ? context : { ...context, observedAt };
      last = file;
    }
    return taken;
  };
}

function instantOf([, date = '', hours = '00', minutes = '00', seconds = '00', zone = 'Z']: RegExpMatchArray): Instant | undefined {
  const day = date.includes('-') ? date : `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
  return parseInstant(`${day}T${hours}:${minutes}:${seconds}${zone}`);
}

/** Which snapshots have the time in their paths: how many, and their first and last time. */
export interface PathTimes {
  readonly count: number;
  readonly first: string | null;
  readonly last: string | null;
}

export class PathTimeCounter {
  #file: string | undefined;
  /** The time in the path of the last file. */
  #time: Instant | undefined;
  #count = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  add(file: string, instant: Instant): void {
    if (file !== this.#file) this.#time = timeInPath(file);
    this.#file = file;
    if (this.#time !== instant) return;
    this.#count += 1;
    this.#first = Math.min(this.#first, instant);
    this.#last = Math.max(this.#last, instant);
  }

  get times(): PathTimes {
    const [first, last] = this.#count === 0 ? [null, null] : [timestampOf(this.#first), timestampOf(this.#last)];
    return { count: this.#count, first, last };
  }
}
