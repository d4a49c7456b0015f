import { isObject } from '../../contract/json.ts';
import { objectIn, websiteField } from './fields.ts';
import type { JsonObject } from './format.ts';

/**
 * Twitter wraps links as `https://t.co/…`, and wraps the same link differently over time: kept as they
 * are, every new wrapping would look like a change. `entities` tells what each stands for.
 */

const WRAPPED = /https?:\/\/t\.co\/\w+/g;

/** A text with its wrapped links as they were written, where the user's entities tell. */
export function expandLinks(text: string | undefined, user: JsonObject): string | undefined {
  if (text === undefined || !text.includes('://t.co/')) return text;
  const links = new Map(urlsOf(user, 'description').flatMap((link) => (isLink(link) ? [[link.url, link.expanded_url]] : [])));
  return links.size === 0 ? text : text.replace(WRAPPED, (link) => links.get(link) ?? link);
}

/** The website as it was written; where Twitter did not expand it, as it was wrapped. */
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
