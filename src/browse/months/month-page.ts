import { dateOf, daysOf, timestampOf } from '../../contract/instant.ts';
import { countDays, type DaySpan, hasDay, plusDays } from '../../contract/snapshots/snapshot-days.ts';
import type { FeedDay } from '../../store/feed/feed-days.ts';
import type { RecordFacts, RecordLookup } from '../accounts/record-lookup.ts';
import type { Rename } from '../accounts/renames.ts';
import { dateMarkup, fullDate, fullTime, monthAndYear, timeMarkup, WEEKDAYS, weekdayOf } from '../dates.ts';
import { changesMarkup, countsMarkup, escapeText, joined, type Markup, markup, numberMarkup, trusted } from '../markup.ts';
import { counted } from '../numbers.ts';
import { type Page, type PageFrame, pageOf, ROOT_2 } from '../page-frame.ts';
import { accountPage, changesPage, HOME, monthPage, renameAddress } from '../paths.ts';
import { spanMarkup } from '../site/snapshot-coverage.ts';
import { headOf, type Month, newestRenames, renamesByDate, shadesOf } from './months.ts';
import type { MostChanged } from './most-changed.ts';
import { haveSnapshots, type MonthSnapshots } from './unseen-months.ts';

/** The greatest number of renames in the list of a month. */
const MAX_LISTED = 200;

/**
 * Returns the page of a month: a calendar whose days lead to their records, the accounts with the most changes, and the renames.
 * @param months all months, newest first
 * @param index the place of the month in the list
 * @param changesPageOf returns the number of the page of changes with the newest record of a day
 */
export function monthPageOf(
  months: readonly Month[],
  index: number,
  mostChanged: MostChanged,
  { snapshots, gaps }: MonthSnapshots,
  { handleAt, renames: { all: allRenames } }: RecordLookup,
  changesPageOf: (day: FeedDay) => number,
): Page {
  const [later, month, earlier] = [months[index - 1], months[index] ?? NO_MONTH, months[index + 1]];
  const title = monthAndYear(month.month);
  const areKnown = haveSnapshots(month.days, snapshots);
  const known = areKnown ? gaps : [];
  const noteOf = (day: string) => (!areKnown || hasDay(snapshots, day) ? '' : hasDay(gaps, day) ? NO_SNAPSHOT : OUTSIDE);
  const hasUnknown = [1, lastDayOf(month)].some((day) => noteOf(dayIn(month, day)) === OUTSIDE);
  const frame: PageFrame = {
    title,
    root: ROOT_2,
    section: 'months',
    previous: earlier === undefined ? undefined : monthPage(earlier.month),
    next: later === undefined ? undefined : monthPage(later.month),
  };
  const link = (target: Month | undefined) =>
    target === undefined ? '' : markup`<a href="${ROOT_2}${monthPage(target.month)}">${monthAndYear(target.month)}</a>`;
  const links = markup`<nav class=pages aria-label=Months>${link(earlier)}${link(later)}<a href="${ROOT_2}${HOME}#months">All months</a></nav>\n`;
  return pageOf(
    frame,
    markup`<h1>${title}</h1>\n<p>${countsMarkup(month)}.${mostChanged.all === 0 ? '' : markup` Accounts with changes: ${numberMarkup(mostChanged.all)}.`} Each day shows its number of changes, and after + its number of first values. It links to its newest record.${month.renames === 0 ? '' : RENAMES}${areKnown ? ONLY_DATE : UNKNOWN_DATE}${known.length === 0 ? '' : GAPS}</p>\n${calendar(month, renamesByDate(allRenames), changesPageOf, noteOf, known)}${hasUnknown ? UNKNOWN_DAYS : ''}${gapList(known)}${mostChangedList(month, mostChanged, handleAt)}${renameList(allRenames, months.slice(index))}${links}`,
  );
}

/** Returns a list of the renames of the first of these months, and a link to earlier ones. All are newest first. */
function renameList(allRenames: readonly Rename[], [month, ...earlier]: readonly Month[]): Markup | '' {
  if (month === undefined || month.renames === 0) return '';
  const ofMonth = allRenames.filter(({ seen_to }) => dateOf(seen_to).startsWith(month.month));
  const lines = ofMonth
    .toSorted((one, other) => other.seen_to - one.seen_to || (one.account < other.account ? -1 : 1))
    .slice(0, MAX_LISTED)
    .map((rename) => {
      const time = timestampOf(rename.seen_to);
      const names = markup`<bdi>@${escapeText(rename.before)}</bdi> to <bdi>@${escapeText(rename.after)}</bdi>`;
      return markup`<li><a href="${ROOT_2}${renameAddress(rename)}">${names}</a>, after ${timeMarkup(time, fullTime(time))}\n`;
    });
  const others =
    lines.length === ofMonth.length ? '' : markup`<p>The newest ${lines.length} of ${numberMarkup(ofMonth.length)} renames:</p>\n`;
  const before = newestRenames(earlier);
  const link = before === undefined ? '' : markup`<p><a href="${ROOT_2}${before}">Earlier renames</a></p>\n`;
  return markup`<h2 id=renames>Renames</h2>\n<p>A rename is counted on the day on which the former handle was last seen. It can have happened on a later day. The page of the account may say by when it was done.</p>\n${others}<ul>\n${joined(lines)}</ul>\n${link}`;
}

const NO_MONTH: Month = { month: '0001-01', changes: 0, renames: 0, first_values: 0, days: [] };

const SAME_RANK = markup`<p>Accounts with the same number of changes have the same rank.</p>\n`;

/** Returns a list of the accounts with the most changes, with their first handles of the month; empty: no changes. */
function mostChangedList({ month }: Month, { all, first, tied }: MostChanged, handleAt: RecordFacts['handleAt']): Markup | '' {
  if (all === 0) return '';
  const start = `${month}-01T00:00:00Z`;
  const lines = first.map(({ account, changes }) => {
    // accounts with equally many changes have the same number
    const rank = first.findIndex((other) => other.changes === changes) + 1;
    const handle = handleAt({ account, first_encountered_date: start });
    const present = handle === account ? '' : markup` now <bdi>@${escapeText(account)}</bdi>`;
    return markup`<li value=${rank}><a href="${ROOT_2}${accountPage(account)}"><bdi>@${escapeText(handle)}</bdi></a>${present}: ${changesMarkup(changes)}\n`;
  });
  const others =
    all === first.length || first.length === 0
      ? ''
      : markup`<p>The first${first.length === 1 ? '' : markup` ${first.length}`} of ${numberMarkup(all)} accounts with changes:</p>\n`;
  const ties = first.some(({ changes }, index) => changes === first[index - 1]?.changes) ? SAME_RANK : '';
  const list = first.length === 0 ? '' : markup`<ol>\n${joined(lines)}</ol>\n`;
  const rest = tied === undefined ? '' : markup`<p>${numberMarkup(tied.accounts)} accounts have ${changesMarkup(tied.changes)} each.</p>\n`;
  return markup`<h2>Accounts with the most changes</h2>\n${ties}${others}${list}${rest}`;
}

const RENAMES = markup` A day without records links to its renames. A <a href="#renames">rename</a> is counted on the day on which the former handle was last seen.`;

const ONLY_DATE = markup` A day with only its date has a snapshot, but no records.`;

const NO_SNAPSHOT = markup` <small>no snapshot</small>`;

const UNKNOWN_DAYS = markup`<p class=legend>Unknown: a day before the first snapshot of this history or after the newest one. Nothing is known of it.</p>\n`;

/** For days before the first or after the newest snapshot. Imported records can be older than the first one. */
const OUTSIDE = markup` <small>unknown</small>`;

const UNKNOWN_DATE = markup` A day with only its date has no records. It is not known whether it had a snapshot.`;

const GAPS = markup` The first day with a snapshot after <a href="#gaps">days without one</a> also counts their changes.`;

/** Returns a list of days without snapshots, each with the day on which their changes are counted. */
function gapList(gaps: readonly DaySpan[]): Markup | '' {
  if (gaps.length === 0) return '';
  const lines = gaps.map((gap) => markup`<li>${spanMarkup(gap)}. Next snapshot: ${dateMarkup(plusDays(gap.to, 1))}\n`);
  return markup`<h2 id=gaps>Days without a snapshot</h2>\n<p>The next snapshot finds changes since the snapshot before it. They are counted on its day.</p>\n<ul>\n${joined(lines)}</ul>\n`;
}

function lastDayOf({ month }: Month): number {
  return daysOf(Number(month.slice(0, 4)), Number(month.slice(5)));
}

function dayIn({ month }: Month, day: number): string {
  return `${month}-${String(day).padStart(2, '0')}`;
}

function calendar(
  ofMonth: Month,
  renamesOn: ReturnType<typeof renamesByDate>,
  changesPageOf: (day: FeedDay) => number,
  noteOf: (day: string) => Markup | '',
  gaps: readonly DaySpan[],
): Markup {
  const { month, days } = ofMonth;
  const { shadeOf, legend } = shadesOf(days);
  const heads = WEEKDAYS.map(headOf);
  const cells = Array.from({ length: weekdayOf(`${month}-01`) }, () => markup`<td>`);
  for (let number = 1; number <= lastDayOf(ofMonth); number += 1) {
    const date = dayIn(ofMonth, number);
    const day = days.find((candidate) => candidate.date === date);
    const counts = { changes: day?.changes ?? 0, renames: renamesOn.get(date) ?? 0, first_values: day?.first_values ?? 0 };
    if (day === undefined && counts.renames === 0) {
      cells.push(markup`<td><span>${number}${noteOf(date)}</span>`);
      continue;
    }
    const href = day === undefined ? markup`#renames` : markup`${ROOT_2}${changesPage(changesPageOf(day))}#r${day.newest}`;
    const gap = gaps.find(({ to }) => plusDays(to, 1) === date);
    const period = gap === undefined || day === undefined ? '' : markup`in ${numberMarkup(countDays([gap]) + 1)} days`;
    const title = markup`${fullDate(date)}: ${countsMarkup(counts)}${period === '' ? '' : ' '}${period}`;
    const first = counts.first_values === 0 ? '' : markup` <small>+${numberMarkup(counts.first_values)}</small>`;
    const renames = counts.renames === 0 ? '' : markup` <small>${trusted(counted(counts.renames, 'rename'))}</small>`;
    cells.push(
      markup`<td class=l${shadeOf(counts)}><a id=d${trusted(date.slice(8))} href="${href}" title="${title}"><span>${number}</span> <b>${numberMarkup(counts.changes)}</b>${first}${renames}${period === '' ? '' : markup` <small>${period}</small>`}</a>`,
    );
  }
  while (cells.length % 7 !== 0) cells.push(markup`<td>`);
  const rows: Markup[] = [];
  for (let at = 0; at < cells.length; at += 7) rows.push(markup`<tr>\n${joined(cells.slice(at, at + 7))}`);
  return markup`<table class=calendar><thead><tr>${joined(heads)}</thead><tbody>\n${joined(rows)}</tbody></table>\n${legend}`;
}
