import { Failure } from '../contract/failure.ts';
import { type Instant, timestampOf } from '../contract/instant.ts';
import { plural } from '../contract/plural.ts';

/** What a guard needs to know of a run. */
export interface Guarded {
  readonly snapshots: number;
  /** Snapshots that are older than the newest one of their account, and contradict the store. */
  readonly late: number;
  /** Whether a snapshot is the newest one of its account. */
  readonly hasNewest: boolean;
  /** The time of the newest observation in the store before the run. */
  readonly storeTo: Instant | undefined;
}

export interface Limits {
  /** The latest time that a snapshot may have; undefined: any. */
  readonly latest: Instant | undefined;
}

/** Returns the reason not to add a run to the store; undefined if there is none. */
export function refusalOf({ snapshots, late, hasNewest, storeTo = 0 }: Guarded, { latest }: Limits): Failure | undefined {
  if (late === 0 || hasNewest) return undefined;
  const isFuture = latest !== undefined && storeTo > latest;
  const cause = isFuture
    ? 'the clock of an earlier run was wrong: go back to the version of the store before it (store list, store pull --from-version N --replace)'
    : 'check the clock, --observed-at and the names of the folders; to add older snapshots, observe all snapshots into a new store';
  return new Failure('all-late', 'every snapshot is older than the newest one of its account in the store', {
    expected: 'a snapshot that is newer',
    found: `${plural(snapshots, 'snapshot')}, ${late} of them with other values than the store, which was last observed at ${timestampOf(storeTo)}`,
    hint: `${cause}: see "A wrong clock" in docs/snapshots.md; the store is unchanged`,
  });
}
