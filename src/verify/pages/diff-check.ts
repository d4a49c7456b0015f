import { isGenerated } from '../../contract/generated-id.ts';
import { show } from '../../contract/json.ts';
import { PROFILE_FIELDS } from '../../contract/profile-fields.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import type { Report, Rule } from '../violation.ts';
import { BARE_DEL, BARE_INS, BREAK, DEL, INS, type Link, markupError, type Part, partsOf, SPAN } from './diff-markup.ts';

/**
 * Checks a record's diff_html against the two texts that it compares. It parses the diff_html and never renders it
 * again: with the next version of Unicode, the same texts may be split at other places.
 */
export function checkChange(record: ChangeRecord, before: Before, path: string, report: Report): void {
  const isBeforeFixed = typeof before !== 'object' || isGenerated(before);
  // a difference that others rendered was imported, and is only noted. So is one to a predecessor that was imported, because a later
  // import can replace the text of that predecessor
  const add = (kind: 'form' | 'text' | 'previous', expected: string, found: string, isFixed = isBeforeFixed) => {
    const rule: Rule = isFixed && isGenerated(record) ? `diff-${kind}` : `imported-diff-${kind}`;
    report.add({ rule, path, subject: `record ${record.id}`, expected, found });
  };
  const parts = partsOf(record.diff_html);
  const problem = parts === undefined ? 'other elements, entities or brackets' : formError(record, before, parts);
  if (problem !== undefined) {
    // invalid markup is already reported by the walk of the feed
    if (parts === undefined && markupError(record.diff_html) !== undefined) return;
    const isOwn = parts === undefined || formError(record, 'unknown', parts) !== undefined;
    add('form', `the form of ${record.data_type}`, problem, isOwn || isBeforeFixed);
  }
  if (parts === undefined) return;
  const [after, old] = [plain(textOf(parts, '<del')), plain(textOf(parts, '<ins'))];
  if (after !== plain(record.text)) add('text', show(plain(record.text)), show(after), true);
  if (before !== 'unknown' && old !== plain(before?.text ?? null)) add('previous', show(plain(before?.text ?? null)), show(old));
}

/** Returns the text of all elements, except those whose opening tag starts with `without`. */
function textOf(parts: readonly Part[], without: string): string {
  let text = '';
  for (const part of parts) if (part.open !== '' && !part.open.startsWith(without)) text += part.text;
  return text;
}

/** Normalizes a text to what markup can show: one kind of line break, and no lone surrogates. */
function plain(text: string | null): string {
  if (text === null) return '';
  return (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text).toWellFormed();
}

/** The predecessor: undefined for a first record, 'unknown' if the predecessor is not part of this history. */
type Before = Pick<ChangeRecord, 'id' | 'first_encountered_date' | 'text'> | undefined | 'unknown';

/** Returns how a diff_html breaks the form that the specification (2.3) demands for its field; undefined if it does not. */
function formError(record: ChangeRecord, before: Before, parts: readonly Part[]): string | undefined {
  if (!record.diff_html.isWellFormed()) return 'a lone surrogate';
  const { difference } = PROFILE_FIELDS[record.data_type];
  if (difference === 'block') return blockError(parts, () => true);
  if (difference !== 'link') return inlineError(record, before, parts);
  const isSchemeForm = parts[0]?.open === INS;
  if (before !== 'unknown' && isSchemeForm !== addsScheme(record, before)) {
    return isSchemeForm ? 'the form of a website to which a scheme was added' : 'not the form of a website to which a scheme was added';
  }
  if (!isSchemeForm) return blockError(parts, linksToItsText);
  const isRight = parts.length === 2 && /^https?:\/\/$/i.test(parts[0]?.text ?? '') && parts[1]?.open === SPAN && parts.every(isPlain);
  return isRight ? undefined : 'not an ins with a scheme and a span with the rest';
}

function addsScheme(record: ChangeRecord, before: Before): boolean {
  if (before === undefined || before === 'unknown' || before.text === null || before.text === '') return false;
  return record.text === `http://${before.text}` || record.text === `https://${before.text}`;
}

function inlineError(record: ChangeRecord, before: Before, parts: readonly Part[]): string | undefined {
  if (before === undefined && (parts.length > 1 || (parts[0]?.open ?? INS) !== INS)) return 'a first record with more than one ins';
  if (PROFILE_FIELDS[record.data_type].difference === 'boolean' && parts.length > 1 && parts.some((part) => part.open === SPAN))
    return 'a kept part of true or false';
  for (const [index, { open, text, links }] of parts.entries()) {
    const last = parts[index - 1]?.open;
    if (open !== SPAN && open !== DEL && open !== INS) return open === '' ? 'text outside of an element' : `the element ${open}`;
    if (text === '') return `an empty ${open}`;
    if (last === open) return `two ${open} side by side`;
    if (last === INS && open === DEL) return 'a del after an ins';
    if (links.some((link) => link.quote !== '"')) return 'a link in single quotes';
  }
  return undefined;
}

const BLOCK = ['\n', BARE_DEL, BREAK, BARE_INS, '\n'];

/** @param isLink whether a link is allowed as a whole value */
function blockError(parts: readonly Part[], isLink: (link: Link) => boolean): string | undefined {
  const shape = parts.map((part) => (part.open === '' ? part.text : part.open));
  if (shape.length !== BLOCK.length || shape.some((part, index) => part !== BLOCK[index]))
    return 'not the sequence line break, del, br, ins, line break';
  for (const { links, text } of parts) {
    const [link, ...others] = links;
    if (link === undefined) continue;
    if (others.length > 0 || link.text !== text || link.quote !== "'") return 'a link that is not the whole value';
    if (!isLink(link)) return `a link to ${link.href} with the text ${link.text}`;
  }
  return undefined;
}

function linksToItsText({ href, text }: Link): boolean {
  const url = withLowerScheme(href);
  return url === withLowerScheme(text) || url === `http://${text}`;
}

function withLowerScheme(url: string): string {
  return url.replace(/^https?:/i, (scheme) => scheme.toLowerCase());
}

function isPlain(part: Part): boolean {
  return part.links.length === 0 && part.text !== '';
}
