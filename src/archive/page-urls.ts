import { dirname } from 'node:path/posix';
import { HOME } from '../browse/paths.ts';
import { COLLECTIONS, type Collection } from '../contract/pages/collection.ts';
import { indexPath, pagePath } from '../tree/layout.ts';
import type { Digests } from '../tree/manifest/digests.ts';
import type { ManifestLine } from '../tree/manifest/lines.ts';
import { isBrowsePath, type Listing, linesOfGroup, listFiles } from '../tree/manifest/listing.ts';
import type { VerifiedTree } from '../tree/verified-tree.ts';

/** A page or a browse file by an address at which clients request it. */
export interface Requested extends ManifestLine {
  /** The address after the slash that follows the base URL. */
  readonly address: string;
  /** Its number among all addresses, from 0. */
  readonly place: number;
}

/** The addresses of the pages and of the browse files of a tree. In memory are the lines of one folder at a time. */
export class PageUrls {
  /** The number of addresses. The home page and the first page of a collection have two. */
  readonly count: number;
  readonly #baseUrl: string;
  readonly #digests: Digests;
  readonly #listing: Listing;
  /** The place of the first address of each collection, and of the browse files. */
  readonly #starts: { readonly [C in Collection | 'browse']: number };
  /** The place of the first file of each folder. */
  readonly #firsts = new Map<string, number>();

  constructor({ build, digests }: VerifiedTree) {
    this.#baseUrl = build.base_url;
    this.#digests = digests;
    this.#listing = listFiles(digests.listing.source, (path) => (isBrowsePath(path) ? dirname(path) : undefined), digests.listing.version);
    const account = digests.pages.data + 1;
    this.#starts = { data: 0, account, browse: account + digests.pages.account + 1 };
    let count = this.#starts.browse + (build.browse_files === undefined ? 0 : 1);
    for (const folder of this.#listing.extents.keys()) {
      this.#firsts.set(folder, count);
      for (const _ of linesOfGroup(this.#listing, folder)) count += 1;
    }
    this.count = count;
  }

  /** Yields the addresses in the order of their places: `/rest/data/`, `?page=1`, `?page=2` and so on. The browse files follow. */
  *all(): Generator<Requested> {
    for (const collection of COLLECTIONS) {
      yield this.#page(collection, undefined);
      for (let number = 1; number <= this.#digests.pages[collection]; number += 1) yield this.#page(collection, number);
    }
    yield* this.#root();
    for (const folder of this.#listing.extents.keys()) yield* this.#files(folder);
  }

  /**
   * Yields the addresses in the order of an index, sorted by the bytes of their SURTs: browse files before `rest`, `account`
   * before `data`, `page=10` before `page=2`.
   */
  *sorted(): Generator<Requested> {
    yield* this.#root();
    yield* this.#sorted('.');
    for (const collection of COLLECTIONS.toSorted()) {
      yield this.#page(collection, undefined);
      for (const number of textOrder(0, this.#digests.pages[collection])) yield this.#page(collection, number);
    }
  }

  /** @param number the number in the query; undefined for the address without a query */
  #page(collection: Collection, number: number | undefined): Requested {
    const path = number === undefined ? indexPath(collection) : pagePath(collection, number);
    return {
      address: `rest/${collection}/${number === undefined ? '' : `?page=${number}`}`,
      path,
      digest: this.#digests.get(path) ?? '',
      place: this.#starts[collection] + (number ?? 0),
    };
  }

  *#root(): Generator<Requested> {
    for (const line of linesOfGroup(this.#listing, '.')) if (line.path === HOME) yield { ...line, address: '', place: this.#starts.browse };
  }

  *#files(folder: string): Generator<Requested> {
    let place = this.#firsts.get(folder) ?? 0;
    for (const line of linesOfGroup(this.#listing, folder)) {
      yield { ...line, address: line.path, place };
      place += 1;
    }
  }

  *#sorted(folder: string): Generator<Requested> {
    const prefix = folder === '.' ? '' : `${folder}/`;
    const folders = new Set<string>();
    for (const key of this.#listing.extents.keys()) {
      if (key !== '.' && key.startsWith(prefix)) folders.add(`${prefix}${key.slice(prefix.length).split('/')[0]}`);
    }
    folders.delete(folder);
    const entries = [
      ...Array.from(this.#files(folder), (file) => ({ key: this.#surt(file.address), file, folder: '' })),
      ...Array.from(folders, (path) => ({ key: this.#surt(`${path}/`), file: undefined, folder: path })),
    ];
    entries.sort((one, other) => (one.key < other.key ? -1 : 1));
    for (const entry of entries) {
      if (entry.file === undefined) yield* this.#sorted(entry.folder);
      else yield entry.file;
    }
  }

  #surt(address: string): string {
    return surt(`${this.#baseUrl}/${address}`);
  }
}

/** Yields the numbers up to `most` in the order of their texts: 1, 10, 100, 11, 2. */
function* textOrder(before: number, most: number): Generator<number> {
  for (let digit = before === 0 ? 1 : 0; digit < 10; digit += 1) {
    const number = before * 10 + digit;
    if (number > most) return;
    yield number;
    yield* textOrder(number, most);
  }
}

/**
 * Returns the key under which an index of web archives has a URL: in lower case, the host with its last label first and without `www`,
 * the path, and the parameters of the query in order. Readers of archives compute the same key.
 * @param url an absolute URL of http or https
 */
export function surt(url: string): string {
  const { hostname, port, pathname, search } = new URL(url.replace(/^(https?:\/\/)www\d*\./, '$1').toLowerCase());
  const host = hostname.split('.').toReversed().join(',') + (port === '' ? '' : `:${port}`);
  const query = search.slice(1).split('&').toSorted().join('&');
  return `${host})${pathname}${query === '' ? '' : `?${query}`}`;
}
