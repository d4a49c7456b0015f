import type { Month } from './calendar.ts';
import { monthAndYear } from './dates.ts';
import { counted } from './numbers.ts';
import { monthPage } from './paths.ts';

/** The greatest number of bars. A longer period has bars of several months. */
const MOST_BARS = 180;
const [WIDTH, HEIGHT, TOP, BOTTOM] = [960, 220, 22, 26];

/** A bar: the changes of one or more consecutive months. */
interface Bar {
  readonly title: string;
  readonly records: number;
  /** The newest month with changes; undefined if there are none. */
  readonly month: string | undefined;
}

/**
 * Returns a chart of the changes over time as SVG. A bar leads to its month.
 * @param months newest first
 */
export function chartOf(months: readonly Month[]): string {
  const [newest, oldest] = [months[0], months.at(-1)];
  if (newest === undefined || oldest === undefined) return '';
  const [start, end] = [ordinalOf(oldest.month), ordinalOf(newest.month)];
  const step = STEPS.find((candidate) => (end - start) / candidate < MOST_BARS) ?? 1200;
  const bars = barsOf(months, start - (start % step), end, step);
  const most = Math.max(...bars.map(({ records }) => records));
  const slot = WIDTH / bars.length;
  const width = Math.max(1, Math.min(48, slot * 0.78));
  const round = (value: number) => Math.round(value * 10) / 10;
  const shapes = bars.map(({ title, records, month }, index) => {
    if (month === undefined) return '';
    const height = Math.max(2, ((HEIGHT - TOP - BOTTOM) * records) / most);
    const rect = `<rect x="${round(index * slot + (slot - width) / 2)}" y="${round(HEIGHT - BOTTOM - height)}" width="${round(width)}" height="${round(height)}"/>`;
    return `<a href="${monthPage(month)}"><title>${title}: ${counted(records, 'change')}</title>${rect}</a>\n`;
  });
  const years = yearLabels(start - (start % step), end, step).map(
    ({ year, index }) => `<text x="${round(index * slot)}" y="${HEIGHT - 6}">${year}</text>`,
  );
  return `<svg class=chart viewBox="0 0 ${WIDTH} ${HEIGHT}" role=group aria-label="Changes over time">
<text x="0" y="12">${counted(most, 'change')}</text><path d="M0 ${TOP - 4}H${WIDTH}M0 ${HEIGHT - BOTTOM + 0.5}H${WIDTH}"/>
${shapes.join('')}${years.join('')}
</svg>
`;
}

/** The numbers of months that a bar can have. */
const STEPS: readonly number[] = [1, 3, 12, 60, 120, 1200];

/** Returns the number of a month since the year 0. @param month such as `2024-03` */
function ordinalOf(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
}

function monthAt(ordinal: number): string {
  return `${String(Math.floor(ordinal / 12)).padStart(4, '0')}-${String((ordinal % 12) + 1).padStart(2, '0')}`;
}

function barsOf(months: readonly Month[], from: number, to: number, step: number): readonly Bar[] {
  const bars: Bar[] = [];
  let place = months.length - 1;
  for (let start = from; start <= to; start += step) {
    let [records, month]: [number, string | undefined] = [0, undefined];
    for (let next = months[place]; next !== undefined && ordinalOf(next.month) < start + step; next = months[place]) {
      records += next.records;
      month = next.month;
      place -= 1;
    }
    const [first, last] = [monthAndYear(monthAt(start)), monthAndYear(monthAt(start + step - 1))];
    bars.push({ title: step === 1 ? first : `${first} to ${last}`, records, month });
  }
  return bars;
}

/** Returns the years that stand below the bars, at most twelve. */
function yearLabels(from: number, to: number, step: number): readonly { readonly year: string; readonly index: number }[] {
  const [first, last] = [Math.ceil(from / 12), Math.floor(to / 12)];
  const every = Math.max(1, Math.ceil((last - first + 1) / 12));
  const labels: { readonly year: string; readonly index: number }[] = [];
  for (let year = first; year <= last; year += every) labels.push({ year: String(year), index: (year * 12 - from) / step });
  return labels;
}
