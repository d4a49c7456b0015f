import { allChanges, element, fieldOf, mainPage, recall, remember, textOf, timeOf } from './page-elements.ts';
import { wordDiff } from './word-diff.ts';

/** What a profile said at the end of a day: the handle of that day, and each known field with its text. */
type Profile = readonly (readonly [field: string, text: string])[];

const DAYS = /^#on=(\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?$/;

/**
 * Adds the choice of a day, to read the profile of that day, and of a second day, to compare both. The address keeps the
 * days. Each page of an account knows some days: the script goes to the page that knows the chosen one.
 */
export function addProfileOfDay(): void {
  const place = document.querySelector('[data-day]');
  if (place === null) return;
  const [day, other] = [element('input', { type: 'date', id: 'day' }), element('input', { type: 'date', id: 'other-day' })];
  const result = element('div', { role: 'status' });
  place.replaceChildren(element('label', {}, 'Profile on ', day), element('label', {}, 'compared with ', other), result);
  const choose = () => {
    const days = [day.value, other.value].filter(Boolean).sort();
    if (day.value !== '') location.assign(`${mainPage()}.html#on=${days.join('..')}`);
    else result.replaceChildren();
  };
  const show = () => {
    const [, first, second] = DAYS.exec(location.hash) ?? [];
    if (first === undefined) return;
    [day.value, other.value] = [first, second ?? ''];
    const profiles: Profile[] = [];
    // the newest first: the pages lead to older ones
    for (const one of [second, first].filter((each) => each !== undefined)) {
      const key = `${mainPage()} ${one}`;
      const known = isKnown(one) ? profileOn(one) : second === undefined ? undefined : recall<Profile>(key);
      if (known === undefined) return location.replace(pageWith(one) + location.hash);
      // the page with the other day needs it
      const isShared = second === undefined || remember(key, known);
      if (!isShared && !isKnown(first)) return result.replaceChildren('To compare these days, allow this site to store data.');
      profiles.unshift(known);
    }
    result.replaceChildren(
      element('h2', {}, second === undefined ? `Profile on ${first}` : `Profile on ${first} and on ${second}`),
      listOf(profiles),
    );
  };
  for (const input of [day, other]) input.addEventListener('change', choose);
  addEventListener('hashchange', show);
  show();
}

/** Whether this page has the records of a day, or the last ones before it. */
function isKnown(day: string): boolean {
  const newer = dayOf(linksTo('Newer')[0]);
  return (newer === '' || day < newer) && (linksTo('Older').length === 0 || day >= oldestDay());
}

function oldestDay(): string {
  const oldest = allChanges().at(-1);
  return oldest === undefined ? '' : (timeOf(oldest)?.dateTime.slice(0, 10) ?? '');
}

/** Returns the page that knows a day, or leads to it. */
function pageWith(day: string): string {
  const older = linksTo('Older');
  if (day >= oldestDay()) return `${mainPage()}.html`;
  return (older.findLast((link) => dayOf(link) > day) ?? older[0])?.pathname ?? '';
}

function linksTo(direction: 'Newer' | 'Older'): HTMLAnchorElement[] {
  return Array.from(document.querySelectorAll<HTMLAnchorElement>(`nav[aria-label="${direction} changes"] a`));
}

function dayOf(link: HTMLAnchorElement | undefined): string {
  return link?.querySelector('time')?.dateTime.slice(0, 10) ?? '';
}

function profileOn(day: string): Profile {
  const texts = new Map<string, string>();
  for (const row of document.querySelectorAll('[data-before] > div')) {
    texts.set(row.querySelector('dt')?.textContent ?? '', row.querySelector('dd')?.textContent ?? '');
  }
  let handle = '';
  for (const change of allChanges().reverse()) {
    const isRename = change.id === '';
    const date = timeOf(change)?.dateTime.slice(0, 10) ?? '';
    // a source still showed the former handle on the day after which the account was renamed
    if (date > day || (isRename && date === day)) continue;
    handle = isRename ? textOf(change) : handleIn(change);
    if (!isRename) texts.set(fieldOf(change), textOf(change));
  }
  return handle === '' ? [...texts] : [['Handle', handle], ...texts];
}

/** The handle that the account had at the time of a record. Its entry names it if it is not the present one. */
function handleIn(change: HTMLElement): string {
  const named = change.closest('section')?.querySelector('h3 bdi') ?? Array.from(document.querySelectorAll('h1 bdi')).at(-1);
  return named?.textContent ?? '';
}

function listOf([first = [], second]: readonly Profile[]): HTMLElement {
  const [texts, others] = [new Map(first), new Map(second ?? first)];
  const fields = [...new Set([...texts.keys(), ...others.keys()])];
  if (fields.length === 0) return element('p', {}, 'No source showed this profile until that day.');
  const rows = fields.map((field) => {
    const parts = wordDiff(texts.get(field) ?? '', others.get(field) ?? '');
    const shown = parts.map(({ kind, text }) => (kind === 'kept' ? text : element(kind === 'removed' ? 'del' : 'ins', {}, text)));
    return element('div', {}, element('dt', {}, field), element('dd', { class: 'text', dir: 'auto' }, ...shown));
  });
  return element('dl', {}, ...rows);
}
