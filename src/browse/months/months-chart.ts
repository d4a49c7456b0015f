import { countDays, type DaySpan, daysInMonth } from '../../contract/snapshots/snapshot-days.ts';
import { monthAndYear, monthName } from '../dates.ts';
import { changesMarkup, joined, type Markup, markup, trusted } from '../markup.ts';
import type { Month } from './months.ts';
import type { IsUnseen } from './unseen-months.ts';

/** The greatest number of bars. A longer period has bars of several months. */
const MAX_BARS = 180;
const [WIDTH, HEIGHT, TOP, BOTTOM] = [960, 220, 22, 26];

/** A bar: the changes of one or more consecutive months. */
interface Bar {
  readonly title: Markup;
  readonly changes: number;
  /** Whether none of its months has a snapshot. */
  readonly isUnseen: boolean;
  /** Whether a snapshot is known of one of its months. Of imported records none is known. */
  readonly isSeen: boolean;
  /** Whether its only day with a snapshot is the first day of the history: no change can be found before the next one. */
  readonly isFirst: boolean;
}

/**
 * Returns a chart of the changes over time as SVG, without the first values. The table of months below it has the same numbers.
 * @param months newest first
 * @param spans the days with snapshots
 */
export function chartOf(months: readonly Month[], spans: readonly DaySpan[], isUnseen: IsUnseen): Markup | '' {
  const [newest, oldest] = [months[0], months.at(-1)];
  if (newest === undefined || oldest === undefined) return '';
  const end = Math.max(ordinalOf(newest.month), ordinalOf(spans.at(-1)?.to ?? newest.month));
  const start = ordinalOf(oldest.month);
  const step = STEPS.find((candidate) => (end - start) / candidate < MAX_BARS) ?? 1200;
  const bars = barsOf(months, start - (start % step), end, step, isUnseen, spans);
  const most = Math.max(...bars.map(({ changes }) => changes));
  if (most === 0) return '';
  const slot = WIDTH / bars.length;
  const width = Math.max(1, Math.min(48, slot * 0.78));
  const shapes = bars.map(({ title, changes, isSeen }, index) => {
    if (changes === 0) return '';
    const height = Math.max(2, ((HEIGHT - TOP - BOTTOM) * changes) / most);
    const rect = markup`<rect x="${round(index * slot + (slot - width) / 2)}" y="${round(HEIGHT - BOTTOM - height)}" width="${round(width)}" height="${round(height)}"/>`;
    const others = isSeen && bars[index - 1]?.isUnseen ? AFTER_GAP : '';
    return markup`<g><title>${title}: ${changesMarkup(changes)}${others}</title>${rect}</g>\n`;
  });
  const labels = labelsOf(start - (start % step), bars.length, step).map(
    ({ text, index }) =>
      markup`<text x="${round(Math.min(Math.max((index + 0.5) * slot, EDGE), WIDTH - EDGE))}" y="${HEIGHT - 6}">${text}</text>`,
  );
  const gaps = gapsOf(bars, slot);
  const empty = bars.filter(({ changes, isUnseen }) => changes === 0 && !isUnseen);
  const notes = joined([...(gaps.length === 0 ? [] : [GRAY, markup` `]), reasonsOf(empty)]);
  const legend = notes === '' ? '' : markup`<p class=legend>${notes}</p>\n`;
  return markup`<svg class=chart viewBox="0 0 ${WIDTH} ${HEIGHT}" role=img aria-label="Changes over time">
<text x="0" y="12">Most in ${step === 1 ? 'a month' : markup`${step} months`}: ${changesMarkup(most)}</text><path d="M0 ${TOP - 4}H${WIDTH}M0 ${HEIGHT - BOTTOM + 0.5}H${WIDTH}"/>
${joined(gaps)}${joined(shapes)}${joined(labels)}
</svg>
${legend}`;
}

const GRAY = markup`Gray: no snapshot. The next bar with a snapshot includes the changes of that time.`;

/** Says why there is no bar. @param empty the bars without changes, except those that are known to have no snapshot */
function reasonsOf(empty: readonly Bar[]): Markup | '' {
  const reasons = [
    ...(empty.some(({ isSeen, isFirst }) => isSeen && !isFirst) ? [markup`no changes`] : []),
    ...(empty.some(({ isFirst }) => isFirst) ? [markup`only the first snapshot, with no earlier one to compare it with`] : []),
  ];
  if (reasons.length === 0) return '';
  if (!empty.every(({ isSeen }) => isSeen)) reasons.push(markup`it is not known whether there was a snapshot`);
  return markup`No bar: ${joined(reasons.map((reason, index) => (index === 0 ? reason : markup`, or ${reason}`)))}.`;
}

const AFTER_GAP = markup`, with those of the time before it without a snapshot`;

/** How far the middle of a label is from the edges of the chart, because on a narrow screen half of it would be cut off. */
const EDGE = 32;

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The least width of a gap with words, as wide as they are on a narrow screen. */
const LEAST_WORDS = 220;

/** Returns the periods without a snapshot. @param slot the width of a bar and of the space beside it */
function gapsOf(bars: readonly Bar[], slot: number): readonly Markup[] {
  return bars.flatMap(({ isUnseen }, index) => {
    if (!isUnseen || bars[index - 1]?.isUnseen) return [];
    const seen = bars.findIndex((bar, place) => place > index && !bar.isUnseen);
    const count = (seen === -1 ? bars.length : seen) - index;
    const [start, width] = [round(index * slot), round(count * slot)];
    const words =
      width < LEAST_WORDS ? '' : markup`<text x="${round(start + width / 2)}" y="${(HEIGHT - BOTTOM + TOP) / 2}">no snapshot</text>`;
    return [markup`<g><path d="M${start} ${TOP}h${width}V${HEIGHT - BOTTOM}h-${width}z"/>${words}</g>\n`];
  });
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

function barsOf(
  months: readonly Month[],
  from: number,
  to: number,
  step: number,
  isUnseen: IsUnseen,
  spans: readonly DaySpan[],
): readonly Bar[] {
  const bars: Bar[] = [];
  const firstDay = months.at(-1)?.days.at(-1)?.date;
  let place = months.length - 1;
  for (let start = from; start <= to; start += step) {
    let changes = 0;
    for (let next = months[place]; next !== undefined && ordinalOf(next.month) < start + step; next = months[place]) {
      changes += next.changes;
      place -= 1;
    }
    const [first, last] = [monthAndYear(monthAt(start)), monthAndYear(monthAt(start + step - 1))];
    const own = Array.from({ length: step }, (_, index) => monthAt(start + index));
    const seen = own.flatMap((month) => daysInMonth(spans, month));
    const isFirst = countDays(seen) === 1 && seen[0]?.from === firstDay;
    const title = step === 1 ? first : markup`${first} to ${last}`;
    bars.push({ title, changes, isUnseen: own.every(isUnseen), isSeen: seen.length > 0, isFirst });
  }
  return bars;
}

/** The greatest number of labels below the bars, of months and of years. */
const [MAX_MONTH_LABELS, MAX_YEAR_LABELS] = [6, 12];

/** Returns the labels below the bars: months if there are at most 24 of them, otherwise years at their January. */
function labelsOf(from: number, bars: number, step: number): readonly { readonly text: Markup; readonly index: number }[] {
  const starts = Array.from({ length: bars }, (_, index) => ({ index, month: monthAt(from + index * step) }));
  const areMonths = step === 1 && bars <= 24;
  const labeled = areMonths ? starts : starts.filter(({ month }) => month.endsWith('-01'));
  const every = Math.ceil(labeled.length / (areMonths ? MAX_MONTH_LABELS : MAX_YEAR_LABELS));
  return labeled
    .filter((_, index) => index % every === 0)
    .map(({ index, month }) => {
      const year = markup`${Number(month.slice(0, 4))}`;
      return { index, text: areMonths ? markup`${trusted(monthName(month).slice(0, 3))} ${year}` : year };
    });
}
