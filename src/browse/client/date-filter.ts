import { allChanges, element } from './page-elements.ts';

/** Adds a filter by date above the changes of a page. */
export function addDateFilter(): void {
  const list = document.querySelector('main .changes');
  const place = document.querySelector('[data-filters]');
  if (list === null || place === null) return;
  const from = element('input', { type: 'date', id: 'from' });
  const to = element('input', { type: 'date', id: 'to' });
  const reset = element('button', { type: 'button', hidden: '' }, 'All dates');
  const status = element('p', { role: 'status' });
  const label = (name: string, text: string) => element('label', { for: name }, text);
  place.append(label('from', 'From'), from, label('to', 'to'), to, reset, status);

  const apply = () => {
    const changes = allChanges();
    for (const change of changes) {
      const day = change.querySelector('time')?.dateTime.slice(0, 10) ?? '';
      change.hidden = (from.value !== '' && day < from.value) || (to.value !== '' && day > to.value);
    }
    hideEmptyDays(list);
    const isActive = from.value !== '' || to.value !== '';
    const shown = changes.filter((change) => !change.hidden).length;
    reset.hidden = !isActive;
    status.textContent = isActive ? `${shown} of ${changes.length} changes on this page` : '';
  };
  for (const input of [from, to]) input.addEventListener('input', apply);
  reset.addEventListener('click', () => {
    from.value = '';
    to.value = '';
    apply();
    from.focus();
  });
}

/** Hides the headings of days without a change that is shown. */
function hideEmptyDays(list: Element): void {
  let heading: HTMLElement | undefined;
  for (const child of list.children) {
    if (!(child instanceof HTMLElement)) continue;
    if (child.localName === 'h2') {
      heading = child;
      heading.hidden = true;
    } else if (heading !== undefined && !child.hidden) {
      heading.hidden = false;
    }
  }
}
