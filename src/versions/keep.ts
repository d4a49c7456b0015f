import type { Version } from './commit.ts';

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

export const DAY_MS = 86_400_000;

/**
 * Returns the versions that a policy keeps. The current version always stays.
 * @param versions ascending
 * @param now in milliseconds since 1970
 * @param clock the time of this machine. An age is measured from the version before the newest one if that is earlier: a night with
 *   a clock in the future must not make all versions old, and neither must the night after it
 * @param reading how long readers may use a version that is no longer current, in milliseconds
 */
export function keptVersions<V extends Pick<Version, 'time'>>(
  versions: readonly V[],
  policy: KeepPolicy,
  now: number,
  clock: number,
  reading: number = DAY_MS,
): readonly V[] {
  const { last, within, daily, monthly } = policy;
  if (last === undefined && within === undefined && daily === undefined && monthly === undefined) return versions;
  const kept = new Set<V>([
    ...(last === undefined ? [] : versions.slice(-last)),
    ...lastOfEach(versions, 'YYYY-MM-DD'.length, daily),
    ...lastOfEach(versions, 'YYYY-MM'.length, monthly),
  ]);
  const measured = Math.min(clock, Date.parse(versions.at(-2)?.time ?? '') || clock);
  return versions.filter((version, index) => {
    const next = versions[index + 1];
    if (next === undefined || kept.has(version)) return true;
    const ended = Date.parse(next.time);
    return ended >= now - reading || (within !== undefined && ended >= measured - within);
  });
}

/** @param digits the length of the part of the time that names the period */
function lastOfEach<V extends Pick<Version, 'time'>>(versions: readonly V[], digits: number, periods = 0): readonly V[] {
  const last = new Map(versions.map((version) => [version.time.slice(0, digits), version]));
  return periods === 0 ? [] : [...last.values()].slice(-periods);
}
