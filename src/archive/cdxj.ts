import type { VerifiedTree } from '../tree/verified-tree.ts';
import type { Addresses } from './addresses.ts';
import { contentType, payloadDigest } from './resource-record.ts';
import { surt } from './surt.ts';
import type { PlacedRecord } from './warc.ts';

/** Where each record of a WARC begins, and its length, in bytes. An address takes 16 bytes. */
export class RecordExtents {
  readonly #numbers: Float64Array;

  constructor({ count }: Addresses) {
    this.#numbers = new Float64Array(2 * count);
  }

  add({ page, offset, length }: PlacedRecord): void {
    this.#numbers.set([offset, length], 2 * page.place);
  }

  get(place: number): { readonly offset: number; readonly length: number } {
    const [offset = 0, length = 0] = this.#numbers.subarray(2 * place, 2 * place + 2);
    return { offset, length };
  }
}

/** Yields the lines of the CDXJ index of a tree's WARC, sorted by their bytes. */
export function* cdxjLines(
  { build }: VerifiedTree,
  addresses: Addresses,
  extents: RecordExtents,
  date: string,
  filename: string,
): Generator<string> {
  const timestamp = date.replace(/\D/g, '');
  for (const page of addresses.sorted()) {
    const url = `${build.base_url}/${page.address}`;
    const { offset, length } = extents.get(page.place);
    const fields = {
      url,
      mime: contentType(build.base_url, url).split(';')[0],
      status: '200',
      digest: payloadDigest(page),
      length: String(length),
      offset: String(offset),
      filename,
    };
    yield `${surt(url)} ${timestamp} ${JSON.stringify(fields)}`;
  }
}
