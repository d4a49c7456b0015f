import { joined, type Markup, markup, textOfMarkup, trusted } from './markup.ts';
import { CHANGED_BREAK, type DiffMarkup } from './parse-diff-html.ts';
import { wordDiff } from './word-diff.ts';

/** A difference, with notes for the reader. */
interface ChangedPart extends DiffMarkup {
  /** What changed. */
  readonly note?: Markup;
  /** Why more is marked than what changed. */
  readonly limit?: Markup;
}

/** Matches a value that was removed or added as a whole: its link, if it is one, and its text. */
const WHOLE = /^<(?:del|ins)>(<a [^>]*>)?([^<]*)(?:<\/a>)?<\/(?:del|ins)>$/;

/** Matches a character before and after which a part of a value can begin or end. It is in no entity, and no byte of another character. */
const BOUNDARY = /[ \t\r\n/:.?=_,@()-]/;
/** Matches the parts of a value. */
const SEGMENTS = /[ \t\r\n/:.?=_,@()-]|[^ \t\r\n/:.?=_,@()-]+/g;
/** Matches a URL up to its host. */
const HOST = /^https?:\/\/(?:www\.)?([^/?#]+)/i;

/** The greatest number of changed parts that are named in words. */
const MAX_NAMED = 2;

/**
 * Marks only the parts of a value that changed, such as `http` of a website. The block form of diff_html marks the whole value.
 * A value of which less than half stayed is marked as a whole, unless it is a URL of the same host.
 */
export function changedPart(diff: DiffMarkup): ChangedPart {
  const [, oldLink = '', old] = WHOLE.exec(diff.before) ?? [];
  const [, newLink = '', current] = WHOLE.exec(diff.after) ?? [];
  if (old === undefined || current === undefined || old === current) return diff;
  const host = HOST.exec(old)?.[1];
  const parts = host !== undefined && host === HOST.exec(current)?.[1] ? changedSegments(old, current) : changedMiddle(old, current);
  if (parts === undefined) return diff;
  const within = (link: string, side: 'before' | 'after' | 'inline') =>
    joined([trusted(link), ...parts.map((part) => part[side]), trusted(link === '' ? '' : '</a>')]);
  const changes = parts.filter(({ removed, added }) => removed + added !== '');
  const note = changes.length > MAX_NAMED ? {} : { note: markup`Only ${trusted(changes.map(inWords).join(', and '))}` };
  const [removed, added] = [joined(changes.map((each) => each.removed)), joined(changes.map((each) => each.added))];
  return { inline: within(newLink, 'inline'), before: within(oldLink, 'before'), after: within(newLink, 'after'), removed, added, ...note };
}

/** Compares two URLs by segments: the scheme, the parts of the host and of the path. */
function changedSegments(old: string, current: string): readonly DiffMarkup[] {
  const { parts } = wordDiff(old, current, (value) => value.match(SEGMENTS) ?? []);
  return parts.flatMap(({ kind, text }, index) => {
    if (kind === 'kept') return unchanged(trusted(text));
    const [last, next] = [parts[index - 1], parts[index + 1]];
    if (kind === 'removed') return replaced(trusted(text), trusted(next?.kind === 'added' ? next.text : ''));
    return last?.kind === 'removed' ? [] : replaced(markup``, trusted(text));
  });
}

/** Returns what both values begin and end with, and what is between; undefined if less than half stayed. */
function changedMiddle(old: string, current: string): readonly DiffMarkup[] | undefined {
  const shorter = Math.min(old.length, current.length);
  let start = 0;
  while (start < shorter && old[start] === current[start]) start += 1;
  while (!isBoundary(old, start) || !isBoundary(current, start)) start -= 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === current.at(-1 - end)) end += 1;
  while (!isBoundary(old, old.length - end) || !isBoundary(current, current.length - end)) end -= 1;
  if (2 * (start + end) < Math.max(old.length, current.length)) return undefined;
  const [removed, added] = [trusted(old.slice(start, old.length - end)), trusted(current.slice(start, current.length - end))];
  return [unchanged(trusted(old.slice(0, start))), replaced(removed, added), unchanged(trusted(old.slice(old.length - end)))];
}

function inWords({ removed, added }: DiffMarkup): Markup {
  if (removed === '') return markup`<q>${added}</q> was added`;
  return added === '' ? markup`<q>${removed}</q> was removed` : markup`<q>${removed}</q> became <q>${added}</q>`;
}

/** Matches the scheme of a URL in a text. */
const SCHEMES = /\bhttps?(?=:\/\/)/g;

/** Says in words that only schemes of URLs changed, if that is so: a diff_html of a text marks no more than an `s`. */
export function changedSchemes(diff: ChangedPart): ChangedPart {
  const [old, current] = [textOfMarkup(diff.before), textOfMarkup(diff.after)];
  if (!current.includes('http') || old.replace(SCHEMES, '\0') !== current.replace(SCHEMES, '\0')) return diff;
  const schemes = current.match(SCHEMES) ?? [];
  const changes = (old.match(SCHEMES) ?? []).map((scheme, index) => replaced(trusted(scheme), trusted(schemes[index] ?? '')));
  const words = new Set(changes.flatMap((change) => (change.removed === change.added ? [] : inWords(change))));
  return words.size === 0 ? diff : { ...diff, note: markup`Only ${trusted([...words].join(', and '))}` };
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

/** If both texts together have at most this length, in bytes, a diff_html marks only what changed. */
const MAX_FULLY_COMPARED = 6000;

/** Matches the words of a text in markup: a link, an address, a line break, a character between words, a CJK character, or a word. */
const WORDS =
  /<a [^>]*>[^<]*<\/a>|(?<![!-;=?-~])[!-;=?-~]*(?:@|:\/\/)[!-;=?-~]*|<i><\/i>\n|[ \t\r\n/:.?=_,@()-]|[\u00e3-\u00ed][\u0080-\u00bf]{2}|[^< \t\r\n/:.?=_,@()\u00e3-\u00ed-]+/g;

/** The largest product of the numbers of words that a build compares. */
const MAX_COMPARED = 250_000;

/**
 * Marks only the words of a long text that changed. A diff_html marks both texts as a whole if they are too long to be compared when the
 * record is made. Texts that have less than half of the shorter one in common are marked as a whole.
 */
export function changedWords(diff: DiffMarkup): ChangedPart {
  const { removed, added, inline, before, after } = diff;
  const isWhole = removed !== '' && added !== '' && inline.length === before.length + after.length;
  if (!isWhole || removed.length + added.length <= MAX_FULLY_COMPARED) return diff;
  const { parts, isCompared } = wordDiff(removed, added, (text) => text.match(WORDS) ?? [], MAX_COMPARED);
  const limit = isCompared ? {} : { limit: markup`the marked texts are too long to be compared word by word` };
  const kept = parts.reduce((length, { kind, text }) => length + (kind === 'kept' ? text.length : 0), 0);
  if (2 * kept < Math.min(removed.length, added.length)) return { ...diff, ...limit };
  const changes = parts.map(({ kind, text }) => {
    if (kind === 'kept') return unchanged(trusted(text.replaceAll(CHANGED_BREAK, '\n')));
    return kind === 'removed' ? replaced(trusted(text), markup``) : replaced(markup``, trusted(text));
  });
  const all = (side: keyof DiffMarkup) => joined(changes.map((change) => change[side]));
  return { inline: all('inline'), before: all('before'), after: all('after'), removed: all('removed'), added: all('added'), ...limit };
}

/** Returns the difference of two values that have nothing in common. */
export function replaced(removed: Markup, added: Markup): DiffMarkup {
  const before = removed === '' ? removed : markup`<del>${removed}</del>`;
  const after = added === '' ? added : markup`<ins>${added}</ins>`;
  return { inline: markup`${before}${after}`, before, after, removed, added };
}

/** Returns the difference of a value that did not change. */
export function unchanged(value: Markup): DiffMarkup {
  return { inline: value, before: value, after: value, removed: markup``, added: markup`` };
}

/** Whether a part of a text can begin or end at a place. */
function isBoundary(text: string, at: number): boolean {
  return at === 0 || at === text.length || BOUNDARY.test(text.slice(at - 1, at + 1));
}
