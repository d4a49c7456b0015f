import { invisibleCharacters } from '../invisible/invisible-characters.ts';
import { wordDiff } from '../word-diff.ts';
import {
  allChanges,
  element,
  elements,
  fieldOf,
  isMainPage,
  mainPage,
  nameOf,
  openDialog,
  recall,
  remember,
  textOf,
  timeOf,
} from './page-elements.ts';

/** A version of a field that was chosen for a comparison. */
interface Version {
  /** The path of the account's main page. */
  readonly page: string;
  readonly id: string;
  readonly field: string;
  readonly time: string;
  readonly text: string;
}

const CHOSEN = 'palimpsest-version';

/**
 * Adds a button to each change of an account, to compare any two versions of a field. The first choice is kept when the
 * reader goes to a page with older changes. A field with only one version has no button.
 */
export function addComparison(): void {
  const isOnlyPage = document.querySelector('nav.pages') === null && isMainPage();
  const isComparable = ({ classList: [field] }: HTMLElement) =>
    field !== 'V' && field !== 'H' && !(isOnlyPage && elements(`article.${field}`).length === 1);
  const changes = allChanges().filter((change) => change.closest('.own') !== null && isComparable(change));
  const buttons = changes.map((change) => {
    const button = element('button', { type: 'button', class: 'compare' });
    button.addEventListener('click', () => {
      const last = chosenVersion();
      choose(versionOf(change));
      update(last !== undefined && last.field !== fieldOf(change) ? 'Both versions must be of the same field. ' : '');
    });
    change.querySelector('header')?.append(button);
    return { button, name: nameOf(change), version: versionOf(change) };
  });
  // the style sheet shows it at the end of the window: no row moves
  const hint = element('span');
  document.querySelector('.columns > b')?.append(hint);
  const update = (problem = '') => {
    const chosen = chosenVersion();
    hint.textContent = chosen === undefined ? '' : ` ${problem}Chosen: ${chosen.field}, ${chosen.time}. Compare it with another version.`;
    for (const { button, name, version } of buttons) {
      const isChosen = chosen?.id === version.id;
      const isPair = chosen !== undefined && !isChosen && chosen.field === version.field;
      button.textContent = isChosen ? 'Chosen' : 'Compare';
      button.title = isChosen ? `${problem}Chosen` : isPair ? 'Compare with the chosen version' : 'Compare with another version';
      button.setAttribute('aria-label', `${button.title}: ${name}`);
      button.setAttribute('aria-pressed', String(isChosen));
    }
  };
  update();
}

function choose(version: Version): void {
  const chosen = chosenVersion();
  const isPair = chosen?.field === version.field && chosen.id !== version.id;
  remember(CHOSEN, isPair || chosen?.id === version.id ? undefined : version);
  if (!isPair) return;
  const [before, after] = Number(chosen.id.slice(1)) < Number(version.id.slice(1)) ? [chosen, version] : [version, chosen];
  const side = (title: string, { time, text }: Version) =>
    element('section', {}, element('h3', {}, `${title}: ${time}`), element('p', { dir: 'auto' }, text));
  openDialog(
    'comparison',
    `Comparison of two versions: ${before.field}`,
    element('p', { dir: 'auto', class: 'difference' }, ...markedWords(before.text, after.text)),
    side('Before', before),
    side('After', after),
  );
}

/** Compares two texts word by word. Returns what was removed, and what was added, in an element each, and then a note if it needs one. */
export function markedWords(before: string, after: string): readonly (HTMLElement | string)[] {
  const { parts, isCompared } = wordDiff(before, after);
  const words = parts.map(({ kind, text }) => (kind === 'kept' ? text : element(kind === 'removed' ? 'del' : 'ins', {}, text)));
  const textOfKind = (wanted: string) => parts.map(({ kind, text }) => (kind === wanted ? text : '')).join('');
  const changed = { removed: textOfKind('removed'), added: textOfKind('added'), isAtEnd: parts.at(-1)?.kind !== 'kept' };
  const notes = [...invisibleCharacters({ ...changed, before, after })];
  if (!isCompared) notes.push('the marked texts are too long to be compared word by word');
  return notes.length === 0 ? words : [...words, element('small', { class: 'note' }, notes.join(', '))];
}

function versionOf(change: HTMLElement): Version {
  return {
    page: mainPage(),
    id: change.id,
    field: fieldOf(change),
    time: timeOf(change)?.textContent ?? '',
    text: textOf(change),
  };
}

function chosenVersion(): Version | undefined {
  const chosen = recall<Version>(CHOSEN);
  return chosen?.page === mainPage() ? chosen : undefined;
}

/** Returns a field of two profiles with its difference. @param before undefined: not known. Nobody added a value that was not known before */
export function comparedField(field: string, before: string | undefined, after: string): HTMLElement {
  const note = before === undefined ? [' ', element('small', { class: 'note' }, 'not known before')] : [];
  const words = markedWords(before ?? after, after);
  return element('div', {}, element('dt', {}, field), element('dd', { class: 'text', dir: 'auto' }, ...words, ...note));
}
