import type { About } from '../../contract/about.ts';
import { byteText, escapeText, type Markup, markup } from '../byte-text.ts';
import { LINK_ATTRIBUTES } from '../diff-segments.ts';

/** Returns a text of a site with its language, as a link if it has an address. */
export function siteText({ language }: About, text: string, url?: string): Markup {
  const escaped = escapeText(byteText(text));
  const shown = language === undefined ? escaped : markup`<span lang="${escapeText(language)}">${escaped}</span>`;
  return url === undefined ? shown : linked(url, shown);
}

/** Returns a link to the place where readers ask for a correction or a removal. */
export function contactLink(contact: string): Markup {
  return linked(contact.includes('/') ? contact : `mailto:${contact}`, escapeText(byteText(contact)));
}

function linked(url: string, text: Markup): Markup {
  return markup`<a href="${escapeText(byteText(url))}" ${LINK_ATTRIBUTES}>${text}</a>`;
}
