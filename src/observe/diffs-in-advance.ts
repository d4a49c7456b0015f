import { availableParallelism } from 'node:os';
import type { Pauses } from '../contract/event-loop-pauses.ts';
import { FIELDS_IN_ORDER } from '../contract/profile-fields.ts';
import type { DataType } from '../contract/record.ts';
import type { Profile } from '../contract/snapshots/observation.ts';
import { type LinkTemplates, type Network, networkOf } from '../diff/networks.ts';
import { BoundedMap } from '../sources/bounded-map.ts';
import { ThreadPool } from '../threads/thread-pool.ts';
import { fieldValue, isSame, recordedText } from './changes-and-conflicts.ts';
import type { Row } from './spool/sorted-run.ts';
import { type Spool, storedProfile } from './spool/spool.ts';

const WINDOW_ROWS = 64;
/** How many windows the thread renders while one is merged. */
const WINDOWS_AHEAD = 8;
/** Of ten changes, the thread renders this many. The merge renders the others at the same time. */
const OF_TEN = 7;
/** Longer texts are not compared, so that rendering them takes little time: see `diffHtml`. */
const MAX_UNITS = 6000;
/** The thread runs if there are this many rows, and one of this many has another profile than the one before. */
const MIN_ROWS = 1 << 13;
const ROWS_FOR_PROFILE = 8;
/** How much is kept of the last profiles, in UTF-16 units. */
const CACHE_UNITS = 1 << 23;

export type PredictedChange = readonly [type: DataType, before: string | null, text: string | null, network: Network];

/** The markup of changes, each by the JSON of a {@link PredictedChange}. */
type Markup = readonly (readonly [change: string, markup: string])[];

/** Consecutive rows, with the markup of some of their changes: by the JSON of a {@link PredictedChange}. */
export interface Window {
  readonly rows: readonly Row[];
  readonly markup: ReadonlyMap<string, string>;
}

/**
 * Yields all rows of a spool in order. If many have a change, a thread renders changes before the merge needs them. They are predicted
 * from the profiles of each account number, so the merge must render what is missing.
 */
export async function* windowsOf(spool: Spool, templates: LinkTemplates, pauses: Pauses): AsyncGenerator<Window> {
  const hasMany = spool.length >= MIN_ROWS && spool.profiles * ROWS_FOR_PROFILE > spool.length && availableParallelism() > 1;
  const thread = hasMany
    ? new ThreadPool<readonly PredictedChange[], Markup>(new URL('./render-thread.js', import.meta.url), [undefined])
    : undefined;
  const predict = predictor(spool, templates);
  const queue: { readonly rows: readonly Row[]; readonly markup: Promise<Markup> | undefined }[] = [];
  const next = async (): Promise<Window> => {
    const { rows = [], markup } = queue.shift() ?? {};
    return { rows, markup: new Map(markup && (await pauses.until(markup))) };
  };
  try {
    for (const rows of inPieces(spool.inOrder())) {
      const markup = thread?.ask(rows.flatMap(predict));
      // it is awaited later, and may fail before that
      markup?.catch(() => {});
      if (queue.push({ rows, markup }) > WINDOWS_AHEAD) yield await next();
    }
    while (queue.length > 0) yield await next();
  } finally {
    await thread?.close();
  }
}

function* inPieces(all: Iterable<Row>): Generator<readonly Row[]> {
  let rows: Row[] = [];
  for (const row of all) {
    if (rows.push(row) < WINDOW_ROWS) continue;
    yield rows;
    rows = [];
  }
  yield rows;
}

/** Returns a function that returns changes that a row probably has. */
function predictor(spool: Spool, templates: LinkTemplates): (row: Row) => readonly PredictedChange[] {
  const lasts = new BoundedMap<number, { readonly place: number; readonly profile: Profile }>(CACHE_UNITS);
  let count = 0;
  return ({ account, profile: place }) => {
    const last = lasts.get(account);
    if (last?.place === place) return [];
    const stored = spool.text(place);
    const { profile } = storedProfile(stored);
    lasts.set(account, { place, profile }, stored.length);
    const network = networkOf(profile, templates);
    return FIELDS_IN_ORDER.flatMap((type): PredictedChange[] => {
      const [before, seen] = [last && fieldValue(last.profile, type), fieldValue(profile, type)];
      if (before === undefined || seen === undefined || isSame(before, seen)) return [];
      const text = recordedText(type, seen);
      count += 1;
      return count % 10 >= OF_TEN || (before ?? '').length + (text ?? '').length > MAX_UNITS ? [] : [[type, before, text, network]];
    });
  };
}
