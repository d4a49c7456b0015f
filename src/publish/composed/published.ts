import type { Published } from '../../composed/head.ts';

/** Readers who began within the last day can read to the end. */
const DAY_MS = 86_400_000;
/** One publish is noted in an hour at most, so the list stays short. */
const HOUR_MS = 3_600_000;

/**
 * Returns a generation that readers have seen for more than a day, or that a later one replaced more than a day ago. Nobody who
 * began within the last day saw an earlier generation as the present one.
 * @param now in milliseconds since 1970
 * @returns its number; 0 if none is known
 */
export function settledGeneration(published: readonly Published[], now: number): number {
  const settled = published.filter(({ time }) => Date.parse(time) <= now - DAY_MS);
  return settled.at(-1)?.generation ?? 0;
}

/**
 * Returns the list with a publish that happens now. It has the publishes of the last day, and the last one before that day.
 * A publish within an hour after the last noted one is left out: then a generation is kept up to an hour longer.
 */
export function withPublish(published: readonly Published[], generation: number, now: number): readonly Published[] {
  // after a rollback the later generations are gone, and a clock that was wrong must not count
  const valid = published.filter((one) => one.generation <= generation && Date.parse(one.time) <= now);
  const settled = valid.filter(({ time }) => Date.parse(time) <= now - DAY_MS);
  const recent = [...settled.slice(-1), ...valid.slice(settled.length)];
  const last = recent.at(-1);
  if (last !== undefined && Date.parse(last.time) > now - HOUR_MS) return recent;
  return [...recent, { generation, time: new Date(now).toISOString() }];
}
