import { COLLECTIONS, type Collection } from '../../contract/collection.ts';

/** The address of a page in an archive. */
export interface PageAddress {
  readonly collection: Collection;
  /** The same for all pages of one collection. */
  readonly set: string;
  /** The same for two addresses of one page, such as `/rest/data/` and `/rest/data/?page=1`. */
  readonly key: string;
}

const PATH = /^(.*)\/rest\/(data|account)\/(?:page\/(\d+|last)\/)?(?:index\.json)?$/;

/** Returns undefined if the address is none of a page. */
export function pageAddressOf(url: string): PageAddress | undefined {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return undefined;
  const { origin, pathname, searchParams } = new URL(url);
  const [, base, name, inPath] = PATH.exec(pathname) ?? [];
  const collection = COLLECTIONS.find((one) => one === name);
  if (collection === undefined) return undefined;
  const page = searchParams.getAll('page').at(-1) ?? inPath ?? '1';
  searchParams.delete('page');
  searchParams.sort();
  const set = [origin + base, collection, searchParams.toString()].join(' ');
  return { collection, set, key: `${set} ${page}` };
}
