import { counted } from '../numbers.ts';
import { type IndexEntry, NEWER_NAMES, type SearchEntry, searchPath } from '../search/search-terms.ts';
import { type Found, findAccounts, indexFile } from './find-accounts.ts';
import { element, rootPath, scriptLoader } from './page-elements.ts';

declare global {
  interface Window {
    /** Receives a file of the search index from its script. */
    palimpsest: (entries: readonly IndexEntry[], starts?: readonly string[]) => void;
  }
}

/** Adds the search for accounts to the header: a combobox with a list of links. */
export function addSearchBox(): void {
  const place = document.querySelector<HTMLElement>('[data-search]');
  if (place === null) return;
  let received = indexFile([]);
  window.palimpsest = (entries, starts) => {
    received = indexFile(entries, starts);
  };
  const loadFile = scriptLoader(() => received);
  const loadIndex = (name: string) => loadFile(searchPath(name));
  const loadNewer = async () => (await loadFile(NEWER_NAMES)).entries;
  const input = element('input', {
    // HTML allows no combobox of the type search
    type: 'text',
    id: 'query',
    placeholder: 'Search accounts',
    'aria-label': 'Search accounts by handle or name',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'results',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
  });
  const list = element('div', { id: 'results', role: 'listbox', 'aria-label': 'Accounts', class: 'search-results' });
  const status = element('p', { role: 'status', class: 'search-status' });
  const popup = element('div', { class: 'search-popup', hidden: '' }, list, status);
  place.append(input, popup);
  let [latest, selected] = [0, -1];

  const options = () => Array.from(list.children).filter((option) => option instanceof HTMLElement);
  const select = (index: number) => {
    selected = index;
    for (const [at, option] of options().entries()) option.setAttribute('aria-selected', String(at === index));
    const option = options()[index];
    if (option === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', option.id);
    option?.scrollIntoView({ block: 'nearest' });
  };
  const show = ({ total, entries }: Found, text: string) => {
    list.replaceChildren(...entries.map(resultOf));
    status.textContent = text === '' ? '' : statusOf(total, entries.length);
    input.setAttribute('aria-expanded', String(entries.length > 0));
    popup.hidden = text === '';
    select(entries.length > 0 ? 0 : -1);
  };
  const close = () => show({ total: 0, entries: [] }, '');
  const answer = async () => {
    latest += 1;
    const mine = latest;
    const text = input.value.trimStart();
    try {
      const found = await findAccounts(text, loadIndex, await loadNewer());
      // a later keystroke has its own answer
      if (mine === latest) show(found, text);
    } catch {
      if (mine !== latest) return;
      show({ total: 0, entries: [] }, text);
      status.textContent = 'The search index cannot be loaded.';
    }
  };

  let answered = Promise.resolve();
  const search = () => {
    answered = answer();
  };
  const openSelected = async () => {
    const mine = latest;
    await answered;
    if (mine === latest) options()[selected]?.click();
  };

  input.addEventListener('input', search);
  input.addEventListener('focus', () => {
    loadIndex('index').catch(() => {});
    loadNewer().catch(() => {});
    if (input.value !== '') search();
  });
  input.addEventListener('keydown', (event) => {
    // these keys belong to an input method, which writes Chinese or Japanese for example
    if (event.isComposing) return;
    const count = options().length;
    if (event.key === 'ArrowDown' && count > 0) select((selected + 1) % count);
    else if (event.key === 'ArrowUp' && count > 0) select((selected - 1 + count) % count);
    else if (event.key === 'Enter') void openSelected();
    else if (event.key === 'Escape') {
      latest += 1;
      if (popup.hidden) input.blur();
      input.value = '';
      close();
    } else return;
    event.preventDefault();
  });
  place.addEventListener('focusout', ({ relatedTarget }) => {
    latest += 1;
    if (!(relatedTarget instanceof Node && place.contains(relatedTarget))) close();
  });
}

function resultOf({ handle, place, name, formerHandles }: SearchEntry, index: number): HTMLElement {
  const href = `${rootPath()}browse/account/${place.slice(0, 2)}/${encodeURIComponent(place.slice(2) || handle)}.html`;
  const former = formerHandles.length === 0 ? [] : [' ', element('small', {}, 'formerly ', element('bdi', {}, `@${formerHandles[0]}`))];
  return element(
    'a',
    { id: `result-${index}`, role: 'option', tabindex: '-1', href },
    element('bdi', {}, `@${handle}`),
    ' ',
    element('span', { dir: 'auto' }, name),
    ...former,
  );
}

function statusOf(total: number | undefined, shown: number): string {
  if (total === 0) return 'No account found.';
  if (total === undefined) return `The first ${counted(shown, 'account')}. Type more to find others.`;
  if (shown < total) return `${shown} of ${counted(total, 'account')}. Type more to find the others.`;
  return counted(total, 'account');
}
