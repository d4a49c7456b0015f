import { parseInstant } from '../contract/instant.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { Site } from '../contract/site.ts';
import { gapsBetween } from '../contract/snapshots/snapshot-days.ts';
import type { RecordLookup } from './accounts/record-lookup.ts';
import { renamesByRecord } from './accounts/renames.ts';
import { entriesByDay } from './changes-pages.ts';
import { dateMarkup } from './dates.ts';
import type { RecordsOfChoice } from './filter/field-counts.ts';
import { joined, type Markup, markup, numberMarkup } from './markup.ts';
import { type Month, monthsTable } from './months/months.ts';
import { chartOf } from './months/months-chart.ts';
import { unseenMonths } from './months/unseen-months.ts';
import { type Page, pageOf } from './page-frame.ts';
import { ABOUT, accountsPage, CHANGED_ACCOUNTS, changesPage } from './paths.ts';
import type { ShownState } from './site/about-page.ts';
import { siteText, siteTitle, sourceLink } from './site/publisher.ts';

/** What the home page shows. */
interface HomeContents {
  readonly site: Site;
  readonly state: ShownState;
  /** Newest first. */
  readonly months: readonly Month[];
  readonly fields: readonly RecordsOfChoice[];
  /** The newest records, newest first. */
  readonly newest: readonly ChangeRecord[];
  readonly lookup: RecordLookup;
  /** Links to pages of all changes. */
  readonly links: Markup | '';
}

/** Returns the home page. */
export function homePage({ site, state, months, fields, newest, lookup, links }: HomeContents): Page {
  const { accounts, changes, first_values, days, newestRenames, newestChange, newestFirstValue } = state;
  const oldest = parseInstant(newest.at(-1)?.first_encountered_date ?? '') ?? 0;
  const recent = lookup.renames.all.filter(({ seen_to }) => seen_to >= oldest);
  const stat = (term: Markup, definition: Markup) => markup`<div><dt>${term}<dd>${definition}</div>\n`;
  const renames =
    newestRenames === undefined ? '' : stat(markup`Renames`, markup`<a href="${newestRenames}">${numberMarkup(state.renames)}</a>`);
  const statOfDay = (term: Markup, day: string | undefined) => (day === undefined ? '' : stat(term, dateMarkup(day)));
  const spans = site.snapshot_days ?? [];
  const period = joined([
    statOfDay(markup`First seen`, days.at(-1)),
    statOfDay(markup`Newest change`, newestChange),
    statOfDay(markup`Newest first value`, newestFirstValue),
  ]);
  const isUnseen = unseenMonths(spans, months);
  const chart =
    months.length === 0
      ? ''
      : markup`<h2 id=months>Changes over time</h2>\n<p>A first value is the value of a field when a source first showed it. It is not a change, and is counted separately. One account can have many changes.${gapsBetween(spans).length === 0 ? '' : GAPS}</p>\n${chartOf(months, spans, isUnseen)}${monthsTable(months, spans, isUnseen)}`;
  const list =
    newest.length === 0
      ? markup`<p>There are no records yet.</p>\n`
      : markup`<div class=changes>\n${entriesByDay(newest, '', lookup, renamesByRecord(recent, newest))}</div>\n${links}`;
  return pageOf(
    { title: site.about === undefined ? 'History of public profiles' : 'Home', root: '', section: 'home' },
    markup`<h1>${siteTitle(site)}</h1>
${lead(site)}<dl class=stats>
${stat(markup`Accounts`, markup`<a href="${accountsPage()}">${numberMarkup(accounts)}</a>`)}${stat(markup`Changes`, markup`<a href="#changes">${numberMarkup(changes)}</a>`)}${renames}${stat(markup`First values`, numberMarkup(first_values))}${period}</dl>
<p><a href="${CHANGED_ACCOUNTS}">Accounts by changes</a>: those that changed last, those that changed most,${spans.length === 0 ? '' : ' those not seen lately,'} and new names</p>
${spans.length === 0 ? '' : SNAPSHOT_DAYS}${chart}<h2 id=changes>Newest changes and first values</h2>
${allOf(fields)}${list}<h2>For programs</h2>
<p>The JSON API has the same <a href="rest/data/">records</a> and <a href="rest/account/">accounts</a>. It has no former handles, no renames and no days with snapshots. It does not say between which two snapshots a value changed, or on which day an account was last known.</p>
`,
  );
}

/** Returns links to the newest page of changes with records of each choice. The script leads on to the other pages. */
function allOf(fields: readonly RecordsOfChoice[]): Markup | '' {
  const links = fields
    .filter(({ records }) => records > 0)
    .map(({ id, name, counts, newestPage }) => markup`<a href="${changesPage(newestPage)}#f${id}">${name} <small>${counts}</small></a>`);
  return links.length === 0
    ? ''
    : markup`<nav class=pages aria-label="All records"><span class=gap>Show all</span>${joined(links, '\n')}</nav>\n`;
}

/** Returns what the history is, and who publishes it. */
function lead({ about }: Site): Markup {
  const source = about?.source === undefined ? '' : markup` Source: ${sourceLink(about, about.source)}.`;
  const publisher =
    about === undefined
      ? ''
      : markup`<p>Published by ${siteText(about, about.publisher)}.${source} <a href="${ABOUT}">About this history</a></p>\n`;
  const text = about?.description === undefined ? LEAD : siteText(about, about.description);
  return markup`<p class=lead>${text}</p>\n${publisher}`;
}

/** Does not say the newest day, because then the page would change each night. The linked page has it. */
const SNAPSHOT_DAYS = markup`<p><a href="${ABOUT}#complete">Days with snapshots</a>: the newest snapshot can be later than the newest change or first value</p>\n`;

const GAPS = markup` The first day with a snapshot after <a href="${ABOUT}#complete">days without one</a> also counts their changes.`;

const LEAD = markup`What public profiles said, and when each value was first seen.`;
