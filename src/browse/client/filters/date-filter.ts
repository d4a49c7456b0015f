import { number } from '../../numbers.ts';
import { allChanges, dateInput, dayOf, element, shownChanges } from '../page-elements.ts';
import { showFieldPages } from './field-pages.ts';
import { showOtherDates } from './other-dates.ts';

/** Adds a filter by date above the entries of a page, and the number of entries that it and the filter by field show. */
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
    for (const change of changes) {
      const day = dayOf(change);
      change.hidden = !isReversed && (day < first || (last !== '' && day > last));
    }
    const shown = shownChanges().length;
    const hasDates = first !== '' || last !== '';
    reset.hidden = !hasDates;
    const isFiltered = hasDates || shown < changes.length;
    const count = `${number(shown)} of ${number(changes.length)} ${changes.length === 1 ? 'entry' : 'entries'} on this page`;
    if (isReversed) status.textContent = 'The second day must not be before the first.';
    else status.textContent = isFiltered ? count : '';
    void showOtherDates(otherDates, isReversed ? '' : first, isReversed ? '' : last);
  };
  for (const input of [from, to]) input.addEventListener('input', apply);
  // the address keeps the choice, also that of the other pages
  const links = Array.from(document.querySelectorAll<HTMLAnchorElement>('nav.pages a')).filter(({ hash }) => hash === '');
  const applyField = () => {
    apply();
    const chosen = document.querySelector<HTMLInputElement>('.filter :checked');
    if (chosen === null) return;
    for (const link of links) link.hash = chosen.id === 'fA' ? '' : chosen.id;
    showFieldPages(others, chosen).catch(() => {});
  };
  const followAddress = () => {
    const named = document.getElementById(location.hash.slice(1));
    if (named instanceof HTMLInputElement && named.type === 'radio') named.checked = true;
    applyField();
  };
  document.querySelector('.filter')?.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement) history.replaceState(null, '', `#${target.id}`);
    applyField();
  });
  followAddress();
  addEventListener('hashchange', followAddress);
  // a browser can restore the chosen field
  addEventListener('pageshow', applyField);
  reset.addEventListener('click', () => {
    from.value = '';
    to.value = '';
    apply();
    from.focus();
  });
}
