import { expect, it } from 'vitest';
import { chartOf } from '../../src/browse/months/months-chart.ts';

it.each([1, 24, 180])('keeps the labels of %i months away from the edges, where a narrow screen would cut them off', (count) => {
  const months = Array.from({ length: count }, (_, index) => {
    const place = count - 1 - index;
    const month = `${2000 + Math.floor(place / 12)}-${String((place % 12) + 1).padStart(2, '0')}`;
    return { month, changes: 1, renames: 0, first_values: 0, days: [] };
  });
  const places = Array.from(chartOf(months, [], () => false).matchAll(/<text x="([\d.]+)" y="214">/g), ([, x]) => Number(x));
  expect(places.length).toBeGreaterThan(0);
  expect(Math.min(...places)).toBeGreaterThanOrEqual(32);
  expect(Math.max(...places)).toBeLessThanOrEqual(960 - 32);
});
