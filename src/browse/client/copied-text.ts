import { element, elements } from './page-elements.ts';

/** Adds an arrow between a removed text and an added one that follows it. Only a copy has it: there both texts would be one word. */
export function addCopiedArrows(): void {
  for (const removed of elements('.changes del')) {
    const added = removed.nextSibling;
    if (added instanceof HTMLElement && added.localName === 'ins') {
      removed.after(element('span', { class: 'copied', 'aria-hidden': 'true' }, ' → '));
    }
  }
}
