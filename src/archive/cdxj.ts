import { getSurt } from 'warcio';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import type { VerifiedTree } from '../tree/verified-tree.ts';
import type { BrowseAddresses } from './browse-addresses.ts';
import { addressOf, answerTo, payloadDigest, type Requested } from './response-record.ts';
import type { PlacedRecord } from './warc.ts';

/** Where a record of a WARC begins, and its length, in bytes. */
interface Extent {
  readonly offset: number;
  readonly length: number;
}

/** The extents of the records of a WARC. A file takes 16 bytes. */
export class RecordExtents {
  readonly #numbers: { readonly [C in Collection | 'browse']: Float64Array };

  constructor({ digests }: VerifiedTree, browse: BrowseAddresses) {
    const { data, account } = digests;
    const numbers = (files: number) => new Float64Array(2 * files);
    this.#numbers = { data: numbers(data.pages + 1), account: numbers(account.pages + 1), browse: numbers(browse.count) };
  }

  add({ page, offset, length }: PlacedRecord): void {
    this.#at(page).set([offset, length]);
  }

  get(page: Requested): Extent {
    const [offset = 0, length = 0] = this.#at(page);
    return { offset, length };
  }

  #at(page: Requested): Float64Array {
    const [numbers, place] = 'address' in page ? [this.#numbers.browse, page.place] : [this.#numbers[page.collection], page.number ?? 0];
    return numbers.subarray(2 * place, 2 * place + 2);
  }
}

/** Yields the lines of the CDXJ index of a tree's WARC, sorted by their bytes. */
export function* cdxjLines(
  tree: VerifiedTree,
  browse: BrowseAddresses,
  extents: RecordExtents,
  date: string,
  filename: string,
): Generator<string> {
  const timestamp = date.replace(/\D/g, '');
  for (const page of sorted(tree, browse)) {
    const url = addressOf(tree.build.base_url, page);
    const { offset, length } = extents.get(page);
    const fields = {
      url,
      mime: 'address' in page ? (answerTo(tree.build.base_url, page).headers['Content-Type'] ?? '').split(';')[0] : 'application/json',
      status: '200',
      digest: payloadDigest(tree, page),
      length: String(length),
      offset: String(offset),
      filename,
    };
    yield `${getSurt(url)} ${timestamp} ${JSON.stringify(fields)}`;
  }
}

/**
 * Yields what clients can request in the order of the addresses: browse files before `rest`, `account` before `data`, `page=10`
 * before `page=2`.
 */
function* sorted({ digests }: VerifiedTree, browse: BrowseAddresses): Generator<Requested> {
  yield* browse.sorted();
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
