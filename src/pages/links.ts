import type { Collection } from '../contract/collection.ts';

/** Returns the URL of a page in the form of DRF links: page 1 has no `page` parameter. */
export function pageUrl(baseUrl: string, collection: Collection, page: number): string {
  const address = `${baseUrl}/rest/${collection}/`;
  return page === 1 ? address : `${address}?page=${page}`;
}
