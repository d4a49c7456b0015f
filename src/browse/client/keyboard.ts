import { element, openDialog, shownChanges } from './page-elements.ts';

const KEYS: readonly (readonly [key: string, action: string])[] = [
  ['/', 'Search accounts'],
  ['j', 'Next change'],
  ['k', 'Previous change'],
  ['?', 'Show these keys'],
  ['Esc', 'Close'],
];

/** Adds the keys. They do nothing while the reader types in a field. */
export function addKeyboard(): void {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input:not([type=radio]), textarea, select, dialog') !== null;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') document.getElementById('query')?.focus();
    else if (event.key === 'j') focusChange(1);
    else if (event.key === 'k') focusChange(-1);
    else if (event.key === '?') showKeys();
    else return;
    event.preventDefault();
  });
}

function showKeys(): void {
  const rows = KEYS.flatMap(([key, action]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, action)]);
  openDialog('help', 'Keys', element('dl', {}, ...rows));
}

function focusChange(step: 1 | -1): void {
  const changes = shownChanges();
  const current = changes.findIndex((change) => change.contains(document.activeElement));
  // without a focused change, j goes to the first one that the window shows
  const shown = changes.findIndex((change) => change.getBoundingClientRect().bottom > 0);
  const next = changes[current === -1 ? Math.max(0, step === 1 ? shown : shown - 1) : current + step];
  if (next === undefined) return;
  next.tabIndex = -1;
  next.focus();
}
