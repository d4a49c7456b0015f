import { crc32 } from 'node:zlib';
import { parseInstant, timestampOf } from '../instant.ts';
import { isObject } from '../json.ts';
import { arrayOf, identifier, type Rule, rule } from '../json-shape.ts';
import type { ChangeRecord } from '../record.ts';

/** When a field changed: after the latest observation with the value before, and not after the time of the record. */
export interface ChangeInterval {
  /** The id of the record of the change. */
  readonly record: number;
  /** The time of that observation, with six digits of a second. */
  readonly from: string;
  /** The {@link changeChecksum}. An interval is deleted if its change in the store has another one. */
  readonly checksum: number;
}

const isExactTime = (value: unknown): value is string => {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined;
  return instant !== undefined && timestampOf(instant) === value;
};
export const exactTime: Rule<string> = rule('a UTC time such as "2023-11-18T16:29:12.006921Z"', isExactTime);
export const checksum: Rule<number> = rule(
  'an integer from 0 to 4294967295',
  (value): value is number => identifier.accepts(value) && value < 2 ** 32,
);

const isInterval = (value: unknown): value is ChangeInterval =>
  isObject(value) &&
  Object.keys(value).length === 3 &&
  identifier.accepts(value['record']) &&
  exactTime.accepts(value['from']) &&
  checksum.accepts(value['checksum']);
const { accepts } = arrayOf('intervals', rule('an interval', isInterval));
export const changeIntervals: Rule<readonly ChangeInterval[]> = rule(
  'an array of objects sorted by record, with record (an id), from (a UTC time with six digits of a second) and checksum (an integer below 4294967296)',
  (value): value is readonly ChangeInterval[] =>
    accepts(value) && value.every(({ record }, index) => record >= (value[index - 1]?.record ?? 0)),
);

/** Returns the CRC-32 of a change: of the value before, the new value and its time. null and "" are the same. */
export function changeChecksum(before: string | null, record: Pick<ChangeRecord, 'text' | 'first_encountered_date'>): number {
  return crc32(`${before ?? ''}\0${record.text ?? ''}\0${record.first_encountered_date}\0`);
}

type Intervals = readonly ChangeInterval[] | undefined;

/** Returns all intervals of two lists, sorted by record. Of two for one change, the narrower one stays. */
export function mergedIntervals(one: Intervals = [], other: Intervals = []): Intervals {
  const each = new Map<string, ChangeInterval>();
  for (const interval of [...one, ...other]) {
    const key = `${interval.record} ${interval.checksum}`;
    if ((each.get(key)?.from ?? '') < interval.from) each.set(key, interval);
  }
  return each.size === 0 ? undefined : [...each.values()].sort((a, b) => a.record - b.record);
}
