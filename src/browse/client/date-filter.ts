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
 * Adds links for the chosen dates: to other pages of changes that can have entries of these dates, and on the page of an account to the
 * profile on those days. A page of all changes also gets links to their months: each leads on to the chosen day.
 * @param place is empty if there are none, or the months cannot be loaded
 * @param from the first day, and `to` the last one; '' if it is not chosen
 */
async function showOtherDates(place: HTMLElement, from: string, to: string): Promise<void> {
  place.replaceChildren();
  place.dataset['choice'] = from + to;
  const days = [...new Set([from, to])].filter(Boolean);
  if (days.length === 0) return;
  const isAccount = document.querySelector('.own') !== null;
  const others = pagesBetween(from, to).map((link) => {
    const name = firstDayOf(link) === '' ? 'newer page' : `${isAccount ? 'part' : 'page'} ${link.firstChild?.textContent?.trim()}`;
    return element('a', { href: link.href.replace(/#.*|$/, location.hash) }, name);
  });
  const pages = others.length === 0 ? [] : [`Other ${isAccount ? 'parts' : 'pages'} can have entries of these dates:`, ...others];
  if (isAccount) {
    const profiles = days.map((day) => element('a', { href: `${mainPage()}.html#on=${day}` }, day));
    return place.replaceChildren(...pages, 'Profile on:', ...profiles);
  }
  const { newest, oldest } = endDays();
  if (others.length === 0 && days.every((day) => day <= newest && day >= oldest)) return;
  const months = await monthsBetween(from, to);
  // the reader can have chosen again
  if (months === undefined || place.dataset['choice'] !== from + to) return;
  const links = [...new Set(months)].filter(Boolean).map((month) => {
    const day = days.find((each) => each.startsWith(month));
    const href = `${rootPath()}browse/months/${month}.html${day === undefined ? '' : `#d${day.slice(8)}`}`;
    return element('a', { href }, shownMonth(month));
  });
  place.replaceChildren(
    ...(links.length === 0 ? ['No page has entries of these dates.'] : [...pages, 'First and last month with entries:', ...links]),
  );
}

/** Returns the links to other pages that can have entries of a period. Not each page has a link. A link without a day leads to the next newer page. */
function pagesBetween(from: string, to: string): readonly HTMLAnchorElement[] {
  const end = to || '9999';
  const { newest, oldest } = endDays();
  let newer = oldest;
  const older = linksTo('Older').filter((link) => {
    const [first, last] = [firstDayOf(link), newer];
    newer = first;
    return first <= end && last >= from;
  });
  const isNewer = (link: HTMLAnchorElement) => link.matches('[rel=prev], span + a') && (firstDayOf(link) || newest) <= end;
  return [...linksTo('Newer').filter(isNewer), ...older];
}

/** Returns the first and the last month of the period that have entries; '' if none has. Returns undefined if the months cannot be loaded. */
async function monthsBetween(from: string, to: string): Promise<readonly string[] | undefined> {
  const { months } = await loadSite();
  const between = months?.filter((month) => month >= from.slice(0, 7) && (to === '' || month <= to.slice(0, 7)));
  return between && [between.at(-1) ?? '', between[0] ?? ''];
}
