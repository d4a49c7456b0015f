import { DAY_MS } from '../contract/instant.ts';
import type { Version } from './commit-format.ts';

/** Which versions stay: those that any of the rules keeps. Without a rule, all stay. */
export interface KeepPolicy {
  /** This many of the newest ones. */
  readonly last?: number | undefined;
  /** Those that were current within this time, in milliseconds. */
  readonly within?: number | undefined;
  /** The last one of each of this many days and months (UTC) that have versions. */
  readonly daily?: number | undefined;
  readonly monthly?: number | undefined;
}

/** Returns the time of this machine, or another time if that is later, in milliseconds since 1970. */
export function timeAfter(time: string | undefined): number {
  return Math.max(Date.now(), Date.parse(time ?? '') || 0);
}

/**
 * Returns the versions that a policy keeps. The current version always stays.
 * @param versions ascending
 * @param clock the time of this machine. An age is measured from an earlier version if the clock may have been wrong: see
 *   {@link measuredFrom}
 * @param readFrom a version that was current at this time or later stays, because readers may be in the middle of it. Undefined: none
 *   stays for this reason
 */
export function keptVersions<V extends Pick<Version, 'time'>>(
  versions: readonly V[],
  policy: KeepPolicy,
  clock: number,
  readFrom: number | undefined,
): readonly V[] {
  const { last, within, daily, monthly } = policy;
  if (last === undefined && within === undefined && daily === undefined && monthly === undefined) return versions;
  const kept = new Set<V>([
    ...(last === undefined ? [] : versions.slice(-last)),
    ...lastOfEach(versions, 'YYYY-MM-DD'.length, daily),
    ...lastOfEach(versions, 'YYYY-MM'.length, monthly),
  ]);
  const measured = measuredFrom(versions, clock);
  return versions.filter((version, index) => {
    const next = versions[index + 1];
    if (next === undefined || kept.has(version)) return true;
    const ended = Date.parse(next.time);
    return (readFrom !== undefined && ended >= readFrom) || (within !== undefined && ended >= measured - within);
  });
}

/** How many of the newest versions are searched for a gap: one with a right time, and up to seven of a wrong clock. */
const WRONG_NIGHTS = 8;
/** How many of the newest versions show the usual time between two. */
const USUAL_NIGHTS = 30;
/** A gap is at least two days, and at least four times as long as usual. */
const GAP_MS = 2 * DAY_MS;
const GAP_FACTOR = 4;

/**
 * Returns the time from which the ages of versions are measured: the earliest of the clock, the time of the second newest version, and
 * the time of each version before a gap. So seven nights with a clock in the future do not make other versions old.
 */
function measuredFrom(versions: readonly Pick<Version, 'time'>[], clock: number): number {
  const times = versions.slice(-USUAL_NIGHTS).map(({ time }) => Date.parse(time));
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const usual = steps.toSorted((one, other) => one - other)[(steps.length - 1) >> 1] ?? 0;
  const newest = times.slice(-WRONG_NIGHTS);
  const beforeGaps = newest.filter((time, index) => (newest[index + 1] ?? time) - time >= Math.max(GAP_MS, GAP_FACTOR * usual));
  return Math.min(clock, times.at(-2) ?? clock, ...beforeGaps);
}

/** @param digits the length of the part of the time that names the period */
function lastOfEach<V extends Pick<Version, 'time'>>(versions: readonly V[], digits: number, periods = 0): readonly V[] {
  const last = new Map(versions.map((version) => [version.time.slice(0, digits), version]));
  return periods === 0 ? [] : [...last.values()].slice(-periods);
}
