import type { AccountPlace } from './account-check.ts';

/** The maximum number of pages to remember. */
const MAX_PAGES = 10_000;

interface DamagedPage<Item> {
  readonly path: string;
  /** The last item before the page; undefined if the page comes first. */
  readonly above: Item | undefined;
  /** The first item after the page; undefined if no page after it could be read. */
  below: Item | undefined;
}

/** The damaged pages of one collection, each with the items around it. Finds the page that an item was on. */
export class DamagedPages<Item> {
  readonly #compare: (a: Item, b: Item) => number;
  readonly #pages: DamagedPage<Item>[] = [];
  /** The number of pages whose `below` is known. */
  #closed = 0;
  #path = '';
  #last: Item | undefined;

  /** @param compare compares items in the order of the collection: negative if `a` comes first */
  constructor(compare: (a: Item, b: Item) => number) {
    this.#compare = compare;
  }

  /** Begins a page. The items passed to {@link read} are on this page, until the next one begins. */
  begin(path: string, isDamaged: boolean): void {
    this.#path = path;
    if (isDamaged && this.#pages.length < MAX_PAGES) this.#pages.push({ path, above: this.#last, below: undefined });
  }

  /** Takes the next item of the collection. */
  read(item: Item): void {
    for (let page = this.#pages[this.#closed]; page !== undefined && page.path !== this.#path; page = this.#pages[this.#closed]) {
      page.below = item;
      this.#closed += 1;
    }
    this.#last = item;
  }

  /** Returns the damaged page that has the place of an item. Of several in a row, that is the last one. */
  at(item: Item): string | undefined {
    let [low, high] = [0, this.#pages.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const above = this.#pages[middle]?.above;
      if (above === undefined || this.#compare(above, item) < 0) low = middle + 1;
      else high = middle;
    }
    const page = this.#pages[low - 1];
    return page !== undefined && (page.below === undefined || this.#compare(item, page.below) < 0) ? page.path : undefined;
  }
}

/** The damaged pages of both collections. The items of the feed are the ids of its records. */
export interface Damaged {
  readonly feed: DamagedPages<number>;
  readonly accounts: DamagedPages<AccountPlace>;
}
