import type { Collection } from '../contract/collection.ts';

/** The address of a page, as DRF links to it: page 1 without the parameter. */
export function pageUrl(baseUrl: string, collection: Collection, page: number): string {
  const address = `${baseUrl}/rest/${collection}/`;
  return page === 1 ? address : `${address}?page=${page}`;
}
