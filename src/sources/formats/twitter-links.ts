import { isObject } from '../../contract/json.ts';
import { objectIn, websiteField } from './fields.ts';
import type { JsonObject } from './format.ts';

/**
 * Twitter shortens links to `https://t.co/…`, and shortens the same link differently over time. If the short
 * links were stored, every new one would look like a change. `entities` contains the original of each link.
 */

const SHORT_LINK = /https?:\/\/t\.co\/\w+/gi;

/** Replaces the short links in a text by the originals, if the entities of the user contain them. */
export function expandLinks(text: string | undefined, user: JsonObject): string | undefined {
  if (text === undefined || !/:\/\/t\.co\//i.test(text)) return text;
  const links = new Map(urlsOf(user, 'description').flatMap((link) => (isLink(link) ? [[link.url, link.expanded_url]] : [])));
  return links.size === 0 ? text : text.replace(SHORT_LINK, (link) => links.get(link) ?? link);
}

/** Returns the original website, or the short link if Twitter did not expand it. */
export function websiteOf(user: JsonObject, path: string): string | null | undefined {
  const [link] = urlsOf(user, 'url');
  const expanded = isObject(link) ? link['expanded_url'] : undefined;
  const isExpanded = typeof expanded === 'string' && expanded !== '';
  return websiteField(isExpanded ? expanded : user['url'], path, 'url');
}

function urlsOf(user: JsonObject, field: string): readonly unknown[] {
  const urls = objectIn(user['entities'], field)?.['urls'];
  return Array.isArray(urls) ? urls : [];
}

function isLink(link: unknown): link is { readonly url: string; readonly expanded_url: string } {
  return isObject(link) && typeof link['url'] === 'string' && typeof link['expanded_url'] === 'string';
}
