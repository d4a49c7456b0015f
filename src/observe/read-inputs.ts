import type { Pauses } from '../contract/event-loop-pauses.ts';
import { type Instant, timestampOf } from '../contract/instant.ts';
import { type RemovedAccounts, withoutRemoved } from '../sources/rejects/redact-removed.ts';
import { type FileCounts, type ObserveContext, type Observed, observationsOf } from '../sources/snapshots/observations.ts';
import { PathTimeCounter, type PathTimes } from '../sources/snapshots/path-time.ts';
import type { Input, InputError } from '../sources/source.ts';
import { PartSets } from './part-sets.ts';
import { type Spool, snapshotOf } from './spool/spool.ts';

export type Reject = (inputError: InputError) => void;

export interface Reading {
  readonly files: FileCounts;
  /** The parts of earlier runs of `normalize` among the inputs. */
  readonly parts: PartSets;
  readonly pathTimes: PathTimes;
  readonly rejected: number;
  /** Items that are not valid, and name a removed account. */
  readonly excluded: number;
}

/**
 * Reads all inputs into a spool.
 * @param exclusions the removed accounts, if they are known
 */
export async function readInputs(
  inputs: readonly Input[],
  context: ObserveContext,
  spool: Spool,
  exclusions: RemovedAccounts | undefined,
  pauses: Pauses,
  reject: Reject,
): Promise<Reading> {
  let [rejected, excluded] = [0, 0];
  const files = { read: 0, skipped: 0, rejectLines: 0, suspended: 0 };
  const parts = new PartSets();
  const pathTimes = new PathTimeCounter();
  const { latest = Number.POSITIVE_INFINITY } = context;
  const rejectItem = (inputError: InputError): void => {
    const shown = exclusions === undefined ? inputError : withoutRemoved(inputError, exclusions);
    if (shown === undefined) {
      excluded += 1;
      return;
    }
    reject(shown);
    rejected += 1;
  };
  for await (const items of observationsOf(inputs, context, files)) {
    if (pauses.areDue) await pauses.take();
    for (const item of items) {
      if (item.kind === 'observation') {
        parts.count(item.place.file);
        if (context.observedAt === undefined) pathTimes.add(item.place.file ?? '', item.observation.observed_at);
        if (item.observation.observed_at > latest) rejectItem(futureError(item, latest));
        else spool.add(item.observation, item.place);
      } else if (item.kind === 'part') {
        parts.begin(item.header, item.place.file ?? '');
        spool.beginPart(item.header, item.place.file ?? '');
      } else {
        rejectItem(item);
      }
    }
  }
  return { files, parts, pathTimes: pathTimes.times, rejected, excluded };
}

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
