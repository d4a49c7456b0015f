import { counted, number } from '../numbers.ts';
import { loadSite } from './citation.ts';
import { showFieldPages } from './field-pages.ts';
import {
  allChanges,
  dateInput,
  dayOf,
  element,
  elements,
  endDays,
  firstDayOf,
  intervalDays,
  isRename,
  linksTo,
  mainPage,
  rootPath,
  shownChanges,
  shownMonth,
} from './page-elements.ts';

/** Matches the fragment of a choice: a field, and maybe two days, of which one can be missing. */
const CHOICE = /^#(f[A-Z])(?:,(\d{4}-\d\d-\d\d)?\.\.(\d{4}-\d\d-\d\d)?)?$/;

/** Adds a filter by date above the entries of a page, and the number of records and renames that it and the filter by field show. */
export function addDateFilter(): void {
  const place = document.querySelector('[data-filters]');
  if (place === null) return;
  const from = dateInput('from');
  const to = dateInput('to');
  const reset = element('button', { type: 'button', hidden: '' }, 'All dates');
  const status = element('p', { role: 'status' });
  const others = element('p', { 'aria-live': 'polite' });
  const otherDates = element('p', { 'aria-live': 'polite' });
  place.append(element('label', {}, 'From ', from), element('label', {}, 'To ', to), reset, status, otherDates, others);

  const apply = () => {
    const changes = allChanges();
    // the year is not complete yet
    const [first = '', last = ''] = [from, to].map(({ value }) => (value < '1000' ? '' : value));
    const isReversed = last !== '' && first > last;
    const end = last || '9999';
    for (const change of changes) {
      const [earliest, latest] = intervalDays(change);
      change.hidden = !isReversed && (latest < first || earliest > end);
    }
    const all = shownChanges();
    const shown = all.map(dayOf).filter((day) => day >= first && day <= end).length;
    const hasDates = first + last !== '';
    reset.hidden = !hasDates;
    const isFiltered = hasDates || shown < changes.length;
    const possible = shown === all.length ? '' : `. ${number(all.length - shown)} more may have happened on these days.`;
    const dates = `${hasDates ? ',' : ''}${first && ` from ${first}`}${last && ` to ${last}`}`;
    const records = changes.some(isRename) ? `${number(changes.length)} records and renames` : counted(changes.length, 'record');
    const count = `${number(shown)} of ${records} on this page${dates}${possible}`;
    if (isReversed) status.textContent = 'The second day must not be before the first.';
    else status.textContent = isFiltered ? count : '';
    void showOtherDates(otherDates, isReversed ? '' : first, isReversed ? '' : last);
  };
  // the address keeps the choice, and links to the other pages keep its field
  const keepChoice = () => {
    const dates = from.value + to.value === '' ? '' : `,${from.value}..${to.value}`;
    history.replaceState(null, '', `#${document.querySelector('.filter :checked')?.id ?? 'fA'}${dates}`);
  };
  for (const input of [from, to]) {
    input.addEventListener('input', () => {
      keepChoice();
      apply();
    });
  }
  const links = elements<HTMLAnchorElement>('nav.pages a').filter(({ hash }) => hash === '');
  const applyField = () => {
    apply();
    const chosen = document.querySelector<HTMLInputElement>('.filter :checked');
    if (chosen === null) return;
    for (const link of links) link.hash = chosen.id === 'fA' ? '' : chosen.id;
    showFieldPages(others, chosen).catch(() => {});
  };
  const followAddress = () => {
    const [choice, id = '', first = '', last = ''] = CHOICE.exec(location.hash) ?? [];
    const named = document.getElementById(id);
    if (named instanceof HTMLInputElement) named.checked = true;
    if (choice !== undefined) [from.value, to.value] = [first, last];
    applyField();
  };
  document.querySelector('.filter')?.addEventListener('change', () => {
    keepChoice();
    applyField();
  });
  followAddress();
  addEventListener('hashchange', followAddress);
  // a browser can restore the chosen field
  addEventListener('pageshow', applyField);
  reset.addEventListener('click', () => {
    from.value = '';
    to.value = '';
    keepChoice();
    apply();
    from.focus();
  });
}

/**
 * Adds links for the chosen dates. A page of an account gets links to its other parts that can have entries of these dates, and to the
 * profile on those days. Another page gets links to their months if other pages can have entries of these dates. The script does not know
 * which days of a month have entries.
 * @param place is empty if there are none, or the months cannot be loaded
 * @param from the first day, and `to` the last one; '' if it is not chosen
 */
async function showOtherDates(place: HTMLElement, from: string, to: string): Promise<void> {
  place.replaceChildren();
  place.dataset['choice'] = from + to;
  if (from + to === '') return;
  if (document.querySelector('.own') !== null) {
    const parts = partsBetween(from, to).map((link) =>
      element('a', { href: link.href.replace(/#.*|$/, location.hash) }, `part ${link.firstChild?.textContent?.trim()}`),
    );
    const profiles = [...new Set([from, to])].filter(Boolean).map((day) => element('a', { href: `${mainPage()}.html#on=${day}` }, day));
    return place.replaceChildren(
      ...(parts.length === 0 ? [] : ['Other parts can have entries of these dates:', ...parts]),
      'Profile on:',
      ...profiles,
    );
  }
  const isElsewhere = [from, to].map(isOnOtherPage);
  if (!isElsewhere.includes(true)) return;
  const months = (await monthsBetween(from, to))?.filter((_, index) => isElsewhere[index]);
  // the reader can have chosen again
  if (months === undefined || place.dataset['choice'] !== from + to) return;
  const links = [...new Set(months)]
    .filter(Boolean)
    .map((month) => element('a', { href: `${rootPath()}browse/months/${month}.html` }, shownMonth(month)));
  place.replaceChildren(
    ...(links.length === 0 ? ['No page has entries of these dates.'] : ['First and last month with entries:', ...links]),
  );
}

/** Returns the links to the parts of an account that can have entries of a period. Not each part has a link. */
function partsBetween(from: string, to: string): readonly HTMLAnchorElement[] {
  const end = to || '9999';
  let newer = endDays().oldest;
  const older = linksTo('Older').filter((link) => {
    const [first, last] = [firstDayOf(link), newer];
    newer = first;
    return first <= end && last >= from;
  });
  return [...linksTo('Newer').filter((link) => firstDayOf(link) <= end), ...older];
}

/** Whether other pages can have entries of a day, or of days beyond it. This page can lack some of those of its first and its last day. */
function isOnOtherPage(day: string): boolean {
  const { newest, oldest } = endDays();
  if (day === '') return false;
  const hasOlder = document.querySelector('nav[aria-label="Older changes"]') !== null;
  if (hasOlder && day <= oldest) return true;
  return day >= newest && document.querySelector('nav[aria-label="Newer changes"] [rel=prev]') !== null;
}

/** Returns the first and the last month of the period that have entries; '' if none has. Returns undefined if the months cannot be loaded. */
async function monthsBetween(from: string, to: string): Promise<readonly string[] | undefined> {
  const { months } = await loadSite();
  const between = months?.filter((month) => month >= from.slice(0, 7) && (to === '' || month <= to.slice(0, 7)));
  return between && [between.at(-1) ?? '', between[0] ?? ''];
}
