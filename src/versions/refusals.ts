import { Failure } from '../contract/failure.ts';
import type { Hint } from '../contract/hint.ts';
import type { Remote } from '../storage/remote.ts';
import type { Version } from './commit.ts';
import { DAY_MS } from './keep.ts';

/** The refusal to replace a version whose state the store of a ZIP does not know. */
export function otherStore({ name }: Remote, zip: string, current: Version): Failure {
  return new Failure('store-diverged', `${zip} was built from a store that does not know the state of the current version at ${name}`, {
    place: { file: zip },
    expected: `a ZIP of a store that had the fingerprint ${current.store} of version ${current.number}`,
    found: 'an older store, another one, or one that another program changed',
    hint: 'build from the newest store, or go back with --rollback first; or publish with --replace: earlier versions stay readable; nothing was changed',
  });
}

/** Whether a time is more than a day ahead of the clock. */
export function isFuture(time: string): boolean {
  return Date.parse(time) > Date.now() + DAY_MS;
}

/**
 * Refuses a new version if the newest one has a time more than a day ahead of the clock, because the new one would get that time, too.
 * @param time that of the newest version; undefined if there is none
 * @param wayBack how to go on after a run with a wrong clock
 * @throws Failure future-time
 */
export function refuseFuture({ name }: Remote, time: string | undefined, wayBack: Hint): void {
  if (time === undefined || !isFuture(time)) return;
  throw new Failure('future-time', `the newest version at ${name} is from the future`, {
    place: { file: name },
    expected: `a version with a time up to ${new Date(Date.now() + DAY_MS).toISOString()}, a day after now`,
    found: `a version from ${time}`,
    hint: ['correct the clock of this machine; or, if the clock was wrong in that run, ', ...wayBack, '; nothing was changed'],
  });
}

/** The refusal of a change after which no version would be live. */
export function noneStays({ name }: Remote): Failure {
  return new Failure('no-version', `no version at ${name} can stay`, {
    place: { file: name },
    expected: 'a live version that is sound and has no removed account',
    found: 'only versions that are damaged or have a removed account',
    hint: 'build the ZIP again and publish it; nothing was changed',
  });
}
