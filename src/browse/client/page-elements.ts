/** Creates an element. Texts become text nodes, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: { readonly [name: string]: string } = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Returns the elements of the page that a selector matches, in order. */
export function elements<E extends Element = HTMLElement>(selector: string): E[] {
  return Array.from(document.querySelectorAll<E>(selector));
}

/** Creates a field for a date. Its year has four digits. */
export function dateInput(id: string): HTMLInputElement {
  return element('input', { type: 'date', id, max: '9999-12-31' });
}

/** The relative path from the page to the root of the tree. */
export function rootPath(): string {
  return document.body.dataset['root'] ?? '';
}

/** Runs a script of the tree. A page from file:// can load nothing else. @param path relative to the root of the tree */
export function loadScript(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = element('script', { src: rootPath() + path });
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`${path} cannot be loaded`)));
    document.head.append(script);
    for (const event of ['load', 'error']) script.addEventListener(event, () => script.remove());
  });
}

/** Returns a function that runs scripts of the tree, each once, and returns what each passed on. One that failed is run again. */
export function scriptLoader<T>(passedOn: () => T): (path: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (path) => {
    const loaded = known.get(path) ?? loadScript(path).then(passedOn);
    known.set(path, loaded);
    loaded.catch(() => known.delete(path));
    return loaded;
  };
}

/** The changes on the page, in order. */
export function allChanges(): HTMLElement[] {
  return elements('.changes article');
}

/** The changes that no filter hides, in order. */
export function shownChanges(): HTMLElement[] {
  return allChanges().filter((change) => change.getClientRects().length > 0);
}

/** Whether a change is a rename. */
export function isRename(change: HTMLElement): boolean {
  return change.matches('.H');
}

/** The time of a change: when a source first showed the value, the end of its change interval. For a rename, when a source last showed the former handle. */
export function timeOf(change: HTMLElement): HTMLTimeElement | null | undefined {
  return change.closest('section')?.querySelector(isRename(change) ? 'h3 time' : 'h3 time:last-of-type');
}

/**
 * When a source last showed the value or the handle before a change, if that is known. The note of an entry is about its changes, and not
 * about a first value.
 */
export function intervalStart(change: HTMLElement): HTMLTimeElement | null | undefined {
  if (isRename(change)) return timeOf(change);
  if (change.matches('.F')) return null;
  return change.closest('section')?.querySelector(`h3 time:has(~ time), :scope > .note time, [id="${change.id}"] .note time`);
}

/** When a change was done at the latest; nothing if that is not known of a rename. */
export function intervalEnd(change: HTMLElement): HTMLTimeElement | null | undefined {
  return isRename(change) ? change.closest('section')?.querySelector('h3 time ~ time') : timeOf(change);
}

/** The day on which a source last showed the value before a change; '' if that is not known. */
export function seenBefore(change: HTMLElement): string {
  return intervalStart(change)?.dateTime.slice(0, 10) ?? '';
}

/** The day of the first time in an element; '' if it has none. */
export function firstDayOf(place: Element | null | undefined): string {
  return place?.querySelector('time')?.dateTime.slice(0, 10) ?? '';
}

/** The day of the entry of a change, such as `2024-03-05`. */
export function dayOf(change: HTMLElement): string {
  return timeOf(change)?.dateTime.slice(0, 10) ?? '';
}

/** The days of changes, oldest first. Ids of records need not follow their times. */
export function sortedDays(changes: readonly HTMLElement[]): readonly string[] {
  return changes.map(dayOf).sort();
}

/** The days of the newest and of the oldest entry of the page; '' if it has none. */
export function endDays(): { readonly newest: string; readonly oldest: string } {
  const days = sortedDays(allChanges());
  return { newest: days.at(-1) ?? '', oldest: days[0] ?? '' };
}

/** The links to newer or older pages of changes, in order. */
export function linksTo(direction: 'Newer' | 'Older'): HTMLAnchorElement[] {
  return elements<HTMLAnchorElement>(`nav[aria-label="${direction} changes"] a`);
}

/** The first and the last day on which a change can have happened: both are its day if that is all that the page knows. A rename can have no known end. */
export function intervalDays(change: HTMLElement): readonly [earliest: string, latest: string] {
  return [seenBefore(change) || dayOf(change), intervalEnd(change)?.dateTime.slice(0, 10) ?? '9999'];
}

/** Returns a day as the pages show it: `5 March 2024`. */
export function shownDay(day: string): string {
  return new Date(day).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}

/** Returns a month as the pages show it: `March 2024`. */
export function shownMonth(month: string): string {
  return shownDay(month).slice(2);
}

/** The present handle of the account. */
export function presentHandle(): string {
  return elements('h1 bdi').at(-1)?.textContent ?? '';
}

/** The handle that the account had at the time of a record. Its entry names it if it is not the present one. */
export function handleIn(change: HTMLElement): string {
  return change.closest('section')?.querySelector('h3 bdi')?.textContent ?? presentHandle();
}

/** The field of a change, such as `Bio`. */
export function fieldOf(change: HTMLElement): string {
  return change.querySelector('h4')?.textContent ?? '';
}

/** The text of a value; '' if the page shows the word `empty` in its place. */
export function valueIn(place: Element | null): string {
  return place?.querySelector('i:not(:empty)') ? '' : (place?.textContent ?? '');
}

/** The text after a change. */
export function textOf(change: HTMLElement): string {
  return valueIn(change.querySelector('div:last-child'));
}

/** The name of a change, such as `Bio, 5 March 2024, 14:03:09 UTC`. */
export function nameOf(change: HTMLElement): string {
  return `${fieldOf(change)}, ${timeOf(change)?.textContent}`;
}

/** The path of the main page of an account, without its extension. */
export function mainPage(): string {
  return location.pathname.replace(/(~p\d+)?\.html$/, '');
}

export function isMainPage(): boolean {
  return location.pathname === `${mainPage()}.html`;
}

/** What this page remembers, for browsers that forbid storage. */
const remembered = new Map<string, string>();

/** Remembers a value on all pages of this window; undefined: no value. Returns whether other pages know it. */
export function remember(key: string, value: unknown): boolean {
  const text = JSON.stringify(value ?? null);
  remembered.set(key, text);
  try {
    sessionStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

export function recall<T>(key: string): T | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? remembered.get(key) ?? 'null') ?? undefined;
  } catch {
    return JSON.parse(remembered.get(key) ?? 'null') ?? undefined;
  }
}

/** Opens a dialog with a title and a button that closes it. It is removed when it closes. */
export function openDialog(name: string, title: string, ...content: readonly Node[]): HTMLDialogElement {
  const heading = element('h2', { id: `${name}-title` }, title);
  const close = element('button', { type: 'button' }, 'Close');
  const dialog = element('dialog', { class: name, 'aria-labelledby': heading.id }, heading, ...content, close);
  const opener = document.activeElement;
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (opener instanceof HTMLElement) opener.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
