import type { Site } from '../../contract/site.ts';
import type { About } from '../../contract/site-json.ts';
import { byteText, escapeText, type Markup, markup } from '../markup.ts';
import { isWebUrl, outsideLink } from '../parse-diff-html.ts';

/** The title of a site that has no title of its own. */
export const DEFAULT_TITLE = 'History of public profiles';

/** Returns the title of a site. */
export function siteTitle({ about }: Site): Markup {
  return about === undefined ? markup`${DEFAULT_TITLE}` : siteText(about, about.title);
}

/** Returns where the records of a site come from. */
export function sourceLink(about: About, source: string): Markup {
  return siteText(about, source, isWebUrl(source) ? source : undefined);
}

/** Returns a text of a site with its language, as a link if it has an address. */
export function siteText({ language }: About, text: string, url?: string): Markup {
  const escaped = escapeText(byteText(text));
  const shown = language === undefined ? escaped : markup`<span lang="${escapeText(language)}">${escaped}</span>`;
  return url === undefined ? shown : outsideLink(byteText(url), shown);
}

/** Returns a link to the place where readers ask for a correction or a removal. */
export function contactLink(contact: string): Markup {
  const text = byteText(contact);
  return outsideLink(contact.includes('/') ? text : `mailto:${text}`, escapeText(text));
}
