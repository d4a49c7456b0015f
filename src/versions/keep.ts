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
 * @param reading how long readers may use a version that is no longer current, in milliseconds
 */
export function keptVersions<V extends Pick<Version, 'time'>>(
  versions: readonly V[],
  policy: KeepPolicy,
  now: number,
  reading: number = DAY_MS,
): readonly V[] {
  const { last, within, daily, monthly } = policy;
  if (last === undefined && within === undefined && daily === undefined && monthly === undefined) return versions;
  const kept = new Set<V>([
    ...(last === undefined ? [] : versions.slice(-last)),
    ...lastOfEach(versions, 'YYYY-MM-DD'.length, daily),
    ...lastOfEach(versions, 'YYYY-MM'.length, monthly),
  ]);
  return versions.filter((version, index) => {
    const next = versions[index + 1];
    return next === undefined || kept.has(version) || Date.parse(next.time) >= now - Math.max(within ?? 0, reading);
  });
}

/** @param digits the length of the part of the time that names the period */
function lastOfEach<V extends Pick<Version, 'time'>>(versions: readonly V[], digits: number, periods = 0): readonly V[] {
  const last = new Map(versions.map((version) => [version.time.slice(0, digits), version]));
  return periods === 0 ? [] : [...last.values()].slice(-periods);
}
