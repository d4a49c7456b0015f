import { getSurt } from 'warcio';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import type { VerifiedTree } from '../tree/verified-tree.ts';
import { addressOf, type PlacedRecord, payloadDigest, type RequestedPage } from './warc.ts';

/** Where a record of a WARC begins, and its length, in bytes. */
interface Extent {
  readonly offset: number;
  readonly length: number;
}

/** The extents of the records of a WARC. A page takes 16 bytes. */
export class RecordExtents {
  readonly #numbers: { readonly [C in Collection]: Float64Array };

  constructor({ digests }: VerifiedTree) {
    this.#numbers = { data: new Float64Array(2 * (digests.data.pages + 1)), account: new Float64Array(2 * (digests.account.pages + 1)) };
  }

  add({ page, offset, bytes }: PlacedRecord): void {
    if (page !== undefined) this.#numbers[page.collection].set([offset, bytes.length], 2 * (page.number ?? 0));
  }

  get({ collection, number = 0 }: RequestedPage): Extent {
    const [offset = 0, length = 0] = this.#numbers[collection].subarray(2 * number, 2 * number + 2);
    return { offset, length };
  }
}

/** Yields the lines of the CDXJ index of a tree's WARC, sorted by their bytes. */
export function* cdxjLines(tree: VerifiedTree, extents: RecordExtents, date: string, filename: string): Generator<string> {
  const timestamp = date.replace(/\D/g, '');
  for (const page of sortedPages(tree)) {
    const url = addressOf(tree.build.base_url, page);
    const { offset, length } = extents.get(page);
    const fields = {
      url,
      mime: 'application/json',
      status: '200',
      digest: payloadDigest(tree, page),
      length: String(length),
      offset: String(offset),
      filename,
    };
    yield `${getSurt(url)} ${timestamp} ${JSON.stringify(fields)}`;
  }
}

/** Yields the pages in the order of their addresses: `account` before `data`, `page=10` before `page=2`. */
function* sortedPages({ digests }: VerifiedTree): Generator<RequestedPage> {
  for (const collection of COLLECTIONS.toSorted()) {
    yield { collection, number: undefined };
    for (const number of textOrder(0, digests[collection].pages)) yield { collection, number };
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
