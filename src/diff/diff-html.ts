import { MAX_MARKUP } from '../contract/json-shape.ts';
import { PROFILE_FIELDS } from '../contract/profile-fields.ts';
import type { DataType } from '../contract/record.ts';
import { escapeAttribute, escapeText, inline } from './inline.ts';
import { type Network, TWITTER } from './networks.ts';
import { type TokenSegment, tokenSegments, whole } from './segments.ts';

/**
 * Returns the HTML of a change as in a record (specification, 2.3).
 * The same values give the same bytes on every machine. Any string is accepted. If the HTML would be longer than a record
 * allows, it is the old text and the new text without links.
 * @param before the value of the field in the preceding record; undefined for a first record
 * @param after the new value; null if the field was removed
 */
export function diffHtml(type: DataType, before: string | null | undefined, after: string | null, network: Network = TWITTER): string {
  const html = linkedHtml(type, before, after, network);
  return html.length > MAX_MARKUP ? plainHtml(type, wellFormed(before), wellFormed(after)) : html;
}

/** Returns a text without lone surrogates, which a page cannot contain and an imported predecessor may. */
function wellFormed(text: string | null | undefined): string {
  return (text ?? '').toWellFormed();
}

function linkedHtml(type: DataType, before: string | null | undefined, after: string | null, network: Network): string {
  const { mentions } = network;
  const [old, fresh] = [wellFormed(before), wellFormed(after)];
  switch (PROFILE_FIELDS[type].difference) {
    case 'block':
      return block(old, fresh, escapeText);
    case 'link':
      return schemeForm(old, fresh) ?? block(old, fresh, website);
    case 'boolean':
      return inline(
        old === fresh ? whole('kept', fresh, mentions) : [...whole('removed', old, mentions), ...whole('added', fresh, mentions)],
        network,
      );
    case 'text':
      return inline(before === undefined ? whole('added', fresh, mentions) : tokenSegments(old, fresh, mentions), network);
  }
}

function plainHtml(type: DataType, old: string, fresh: string): string {
  if (PROFILE_FIELDS[type].difference !== 'text') return block(old, fresh, escapeText);
  return inline([...plain('removed', old), ...plain('added', fresh)], TWITTER);
}

/** Returns a text without links as one segment; no segment for an empty text. */
function plain(kind: TokenSegment['kind'], text: string): TokenSegment[] {
  return text === '' ? [] : [{ kind, tokens: [{ text, entity: undefined }] }];
}

/** Returns the form for a website that only gained its scheme, otherwise undefined. */
function schemeForm(before: string, after: string): string | undefined {
  const scheme = ['http://', 'https://'].find((scheme) => before !== '' && after === scheme + before);
  if (scheme === undefined) return undefined;
  return inline([...plain('added', scheme), ...plain('kept', before)], TWITTER);
}

/** Formats a change as a block: the complete old value, then the complete new value. */
function block(before: string, after: string, value: (text: string) => string): string {
  return `\n<del>${value(before)}</del><br /><ins>${value(after)}</ins>\n`;
}

/** Formats a website as a link if it is a safe URL, otherwise as text. */
function website(text: string): string {
  const url = safeUrl(text);
  return url === undefined ? escapeText(text) : `<a href='${escapeAttribute(url)}'>${escapeText(text)}</a>`;
}

/**
 * Returns the URL of a link, or undefined. A safe URL has http or https, and a host with a dot or an IPv6
 * address. It has no user and nothing ambiguous.
 */
function safeUrl(text: string): string | undefined {
  const [, scheme = 'http', rest = ''] = /(?:(https?):\/\/)?(.*)/is.exec(text) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern detects control characters
  if (/[\s\u0000-\u001f\u007f-\u009f\\]/.test(rest) || !/^(?:[^/?#@]*[^/?#@.]\.[^/?#@.]|\[)[^/?#@]*(?:[/?#]|$)/.test(rest))
    return undefined;
  const url = `${scheme.toLowerCase()}://${rest}`;
  return URL.canParse(url) ? url : undefined;
}
