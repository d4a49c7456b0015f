import { type Instant, timestampOf } from '../contract/instant.ts';
import type { Observed } from '../sources/observations.ts';
import type { InputError } from '../sources/source.ts';
import { snapshotOf } from './spool.ts';

/** Returns the error for an observation after the latest time that a run accepts, with the snapshot in the neutral format. */
export function futureError({ observation, place }: Observed, latest: Instant): InputError {
  return {
    kind: 'error',
    code: 'future-time',
    place,
    expected: `a time up to ${timestampOf(latest)}, a day after now`,
    found: timestampOf(observation.observed_at),
    hint: 'correct the clock or the time, write such snapshots to a file with --rejects FILE, or accept them with --allow-future; the store is unchanged',
    options: { from: 'neutral' },
    item: snapshotOf(observation),
  };
}
