import { joined, type Markup, markup, trusted } from './byte-text.ts';
import { CHANGED_BREAK, type DiffMarkup } from './diff-segments.ts';

/** Matches a value that was removed or added as a whole: its link, if it is one, and its text. */
const WHOLE = /^<(?:del|ins)>(<a [^>]*>)?([^<]*)(?:<\/a>)?<\/(?:del|ins)>$/;

/** Matches a character before and after which a part of a value can begin or end. It is in no entity. */
const BOUNDARY = /[\s/:.?=_,@()-]/;

/**
 * Marks only the part of a value that changed, such as `http` of a website. The block form of diff_html marks the whole value.
 * A value of which less than half stayed is marked as a whole.
 */
export function changedPart(diff: DiffMarkup): DiffMarkup & { readonly note?: Markup } {
  const [, oldLink = '', old] = WHOLE.exec(diff.before) ?? [];
  const [, newLink = '', current] = WHOLE.exec(diff.after) ?? [];
  if (old === undefined || current === undefined || old === current) return diff;
  const shorter = Math.min(old.length, current.length);
  let start = 0;
  while (start < shorter && old[start] === current[start]) start += 1;
  while (!isBoundary(old, start) || !isBoundary(current, start)) start -= 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === current.at(-1 - end)) end += 1;
  while (!isBoundary(old, old.length - end) || !isBoundary(current, current.length - end)) end -= 1;
  if (2 * (start + end) < Math.max(old.length, current.length)) return diff;
  const [removed, added] = [trusted(old.slice(start, old.length - end)), trusted(current.slice(start, current.length - end))];
  const change = replaced(removed, added);
  const within = (link: string, part: Markup) =>
    joined([trusted(link + old.slice(0, start)), part, trusted(old.slice(old.length - end) + (link === '' ? '' : '</a>'))]);
  const note =
    removed === ''
      ? markup`Only <q>${added}</q> was added`
      : added === ''
        ? markup`Only <q>${removed}</q> was removed`
        : markup`Only <q>${removed}</q> became <q>${added}</q>`;
  const [inline, before, after] = [within(newLink, change.inline), within(oldLink, change.before), within(newLink, change.after)];
  return { inline, before, after, removed, added, note };
}

/**
 * Marks only what was added at the beginning or the end of a text, or removed there. Some sources mark both texts as a whole
 * although one has all of the other.
 */
export function extendedPart(diff: DiffMarkup): DiffMarkup {
  const { inline, before, after, removed, added } = diff;
  // a kept part is in all three
  if (removed === '' || added === '' || inline.length < before.length + after.length) return diff;
  const isAdded = added.length > removed.length;
  const [longer, shorter] = isAdded ? [added, removed] : [removed, added];
  const isAtEnd = longer.startsWith(shorter);
  const part = trusted(isAtEnd ? longer.slice(shorter.length) : longer.slice(0, -shorter.length));
  // not within an entity
  if (part === '' || !(isAtEnd || (longer.endsWith(shorter) && !/&[#\w]*$/.test(part)))) return diff;
  const kept = trusted(shorter.replaceAll(CHANGED_BREAK, '\n'));
  const change = isAdded ? replaced(markup``, part) : replaced(part, markup``);
  const beside = (marked: Markup) => (isAtEnd ? markup`${kept}${marked}` : markup`${marked}${kept}`);
  return { ...change, inline: beside(change.inline), before: beside(change.before), after: beside(change.after) };
}

/** Returns the difference of two values that have nothing in common. */
export function replaced(removed: Markup, added: Markup): DiffMarkup {
  const before = removed === '' ? removed : markup`<del>${removed}</del>`;
  const after = added === '' ? added : markup`<ins>${added}</ins>`;
  return { inline: markup`${before}${after}`, before, after, removed, added };
}

/** Whether a part of a text can begin or end at a place. */
function isBoundary(text: string, at: number): boolean {
  return at === 0 || at === text.length || BOUNDARY.test(text.slice(at - 1, at + 1));
}
