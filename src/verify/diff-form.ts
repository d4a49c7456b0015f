import type { ChangeRecord } from '../contract/record.ts';
import { BARE_DEL, BARE_INS, BREAK, DEL, INS, type Link, type Part, SPAN } from './diff-parts.ts';

/** The predecessor: undefined for a first record, 'unknown' if the predecessor is not part of this history. */
export type Before = Pick<ChangeRecord, 'id' | 'first_encountered_date' | 'text'> | undefined | 'unknown';

/** Returns how a diff_html breaks the form that the specification (2.3) demands for its field; undefined if it does not. */
export function formError(record: ChangeRecord, before: Before, parts: readonly Part[]): string | undefined {
  if (!record.diff_html.isWellFormed()) return 'a lone surrogate';
  if (record.data_type === 'Location') return blockError(parts, () => true);
  if (record.data_type !== 'Website') return inlineError(record, before, parts);
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
  if (record.data_type === 'Verified' && parts.length > 1 && parts.some((part) => part.open === SPAN))
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
