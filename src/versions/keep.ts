import type { Version } from './commit.ts';

/** Which versions stay: those that any of the rules keeps. Without a rule, all stay. */
export interface KeepPolicy {
  /** Those that were current within this time, in milliseconds. */
  readonly within?: number | undefined;
  /** The last one of each of this many days and months (UTC) that have versions. */
  readonly daily?: number | undefined;
  readonly monthly?: number | undefined;
}

const DAY_MS = 86_400_000;

/**
 * Returns the versions that a policy keeps. The current version and those that were current in the last day always stay,
 * because readers may still use them.
 * @param versions ascending
 * @param now in milliseconds since 1970
 */
export function keptVersions<V extends Pick<Version, 'time'>>(versions: readonly V[], policy: KeepPolicy, now: number): readonly V[] {
  const { within, daily, monthly } = policy;
  if (within === undefined && daily === undefined && monthly === undefined) return versions;
  const kept = new Set<V>([...lastOfEach(versions, 'YYYY-MM-DD'.length, daily), ...lastOfEach(versions, 'YYYY-MM'.length, monthly)]);
  return versions.filter((version, index) => {
    const next = versions[index + 1];
    const wasCurrentUntil = next === undefined ? now : Date.parse(next.time);
    return kept.has(version) || wasCurrentUntil >= now - Math.max(within ?? 0, DAY_MS);
  });
}

/** @param digits the length of the part of the time that names the period */
function lastOfEach<V extends Pick<Version, 'time'>>(versions: readonly V[], digits: number, periods = 0): readonly V[] {
  const last = new Map(versions.map((version) => [version.time.slice(0, digits), version]));
  return periods === 0 ? [] : [...last.values()].slice(-periods);
}
