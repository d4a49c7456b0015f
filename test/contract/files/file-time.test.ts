import { expect, it } from 'vitest';
import { isLaterTime, timeAfter } from '../../../src/contract/files/file-time.ts';

it.each([
  [3999, 2000, false],
  [4000, 3999, true],
  [4000, 4000, false],
  [2000, 4000, false],
])('a file of %i ms is later than one of %i ms on every file system: %s', (time, previous, isLater) => {
  expect(isLaterTime(time, previous)).toBe(isLater);
});

it.each([
  [0, 2],
  [1999, 2],
  [2000, 4],
])('the first time later than %i ms is %i s', (previous, seconds) => expect(timeAfter(previous)).toBe(seconds));
