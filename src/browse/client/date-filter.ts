import { counted, number } from '../numbers.ts';
import { allChanges, element, shownChanges } from './page-elements.ts';

/** Adds a filter by date above the changes of a page, and the number of changes that it and the filter by field show. */
export function addDateFilter(): void {
  const place = document.querySelector('[data-filters]');
  if (place === null) return;
  const from = element('input', { type: 'date', id: 'from' });
  const to = element('input', { type: 'date', id: 'to' });
  const reset = element('button', { type: 'button', hidden: '' }, 'All dates');
  const status = element('p', { role: 'status' });
  place.append(element('label', {}, 'From ', from), element('label', {}, 'To ', to), reset, status);

  const apply = () => {
    const changes = allChanges();
    for (const change of changes) {
      const day = change.querySelector('time')?.dateTime.slice(0, 10) ?? '';
      change.hidden = (from.value !== '' && day < from.value) || (to.value !== '' && day > to.value);
    }
    const shown = shownChanges().length;
    const hasDates = from.value !== '' || to.value !== '';
    reset.hidden = !hasDates;
    const isFiltered = hasDates || shown < changes.length;
    status.textContent = isFiltered ? `${number(shown)} of ${counted(changes.length, 'change')} on this page` : '';
  };
  for (const input of [from, to]) input.addEventListener('input', apply);
  document.querySelector('.filter')?.addEventListener('change', apply);
  // a browser can restore the chosen field
  addEventListener('pageshow', apply);
  reset.addEventListener('click', () => {
    from.value = '';
    to.value = '';
    apply();
    from.focus();
  });
}
