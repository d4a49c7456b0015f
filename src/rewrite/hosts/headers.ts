import { COLLECTION_HEADERS } from '../resolve.ts';

/**
 * The headers of the collections on a host that sends compressed pages to clients that accept them: those of resolve.ts,
 * with `Accept-Encoding` in `Vary`.
 */
export const PAGE_HEADERS: { readonly [name: string]: string } = {
  ...COLLECTION_HEADERS,
  Vary: `${COLLECTION_HEADERS['Vary']}, Accept-Encoding`,
};

/** Returns a value in quotes, if it has characters with a meaning in configuration files. */
export function quoted(value: string): string {
  return /^[\w./-]+$/.test(value) ? value : `"${value}"`;
}

/**
 * Returns a line of configuration for each header of a page, joined by `separator`.
 * @param line returns the line of a header, or '' for none
 */
export function headerLines(separator: string, line: (name: string, value: string) => string): string {
  return Object.entries(PAGE_HEADERS)
    .map(([name, value]) => line(name, value))
    .filter((text) => text !== '')
    .join(separator);
}
