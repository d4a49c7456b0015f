import { type Instant, timestampOf } from '../contract/instant.ts';
import type { Row } from '../observe/spool/sorted-run.ts';
import { type Spool, snapshotOf } from '../observe/spool/spool.ts';
import { MAX_LISTED } from '../sources/formats/neutral.ts';

/** A line of a part: a neutral snapshot with all times at which the profile was the same. */
export interface ProfileLine {
  readonly text: string;
  /** How many snapshots it has. */
  readonly snapshots: number;
}

/** The observation that the next rows may repeat. */
interface Repeated {
  readonly row: Row;
  readonly profile: string;
  readonly archive: string;
  readonly furtherTimes: Instant[];
}

/**
 * Yields the observations of a spool as lines. Consecutive equal profiles of one account are one line.
 * @param spool sorted by account, then by time
 */
export function* profileLines(spool: Spool): Generator<ProfileLine> {
  let last: Repeated | undefined;
  for (const row of spool.inOrder()) {
    const profile = row.profile === last?.row.profile ? last.profile : spool.text(row.profile);
    const archive = row.archive === 0 ? '' : `${spool.text(row.archive)} `;
    if (profile === last?.profile && archive === last.archive && last.furtherTimes.length < MAX_LISTED) {
      last.furtherTimes.push(row.instant);
      continue;
    }
    if (last !== undefined) yield lineOf(spool, last);
    last = { row, profile, archive, furtherTimes: [] };
  }
  if (last !== undefined) yield lineOf(spool, last);
}

function lineOf(spool: Spool, { row, furtherTimes }: Repeated): ProfileLine {
  const { observed_at, ...rest } = snapshotOf(spool.observation(row));
  const also_observed_at = furtherTimes.length === 0 ? undefined : furtherTimes.map(timestampOf);
  return { text: `${JSON.stringify({ observed_at, also_observed_at, ...rest })}\n`, snapshots: 1 + furtherTimes.length };
}
