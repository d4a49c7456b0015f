import { type Chunks, DamagedChunk } from '../composed/chunk-folder.ts';
import type { ComposedHead } from '../composed/head.ts';
import type { Collection } from '../contract/collection.ts';
import { encodePage } from '../pages/page.ts';
import { type Child, itemsOf } from '../rewrite/chunks.ts';
import type { CollectionMetadata, PageSource } from './tree-pages.ts';
import type { Report } from './violation.ts';

const COMMA = Buffer.from(',');

/** The pages of the present state of a composed tree. */
export class ComposedPages implements PageSource {
  readonly #head: ComposedHead;
  readonly #leaves: { readonly [C in Collection]: readonly Child[] };
  readonly #chunks: Chunks;
  /** The last leaf of the last page, and the position of its first item: the next page begins in it, or after it. */
  #place: { readonly collection: Collection; readonly leaf: number; readonly start: number } = { collection: 'data', leaf: 0, start: 0 };
  /** The leaf that was read last. */
  #last: { readonly hash: string; readonly bytes: Buffer } | undefined;

  constructor(head: ComposedHead, leaves: { readonly [C in Collection]: readonly Child[] }, chunks: Chunks) {
    this.#head = head;
    this.#leaves = leaves;
    this.#chunks = chunks;
  }

  read({ collection, items, pages, pageSize }: CollectionMetadata, number: number, path: string, report: Report): Buffer | undefined {
    try {
      const [from, to] = [(number - 1) * pageSize, Math.min(items, number * pageSize)];
      const parts: Buffer[] = [];
      const leaves = this.#leaves[collection];
      let { leaf, start } = this.#placeOf(collection, from);
      for (; start < to && leaf < leaves.length; leaf += 1) {
        const [hash, count] = leaves[leaf] ?? ['', 0];
        const end = start + count;
        if (end > from) {
          this.#place = { collection, leaf, start };
          if (parts.length > 0) parts.push(COMMA);
          parts.push(Buffer.from(itemsOf(this.#leaf(hash), Math.max(0, from - start), Math.min(to, end) - start)));
        }
        start = end;
      }
      return Buffer.concat(encodePage(this.#head, collection, items, number, pages, parts));
    } catch (error) {
      if (!(error instanceof DamagedChunk)) throw error;
      report.add({ rule: 'file-missing', path, expected: 'the chunks of the page', found: `${error.path} is damaged` });
      return undefined;
    }
  }

  /** Returns a leaf that is not after an item, and the position of its first item. Pages are read in order. */
  #placeOf(collection: Collection, item: number): { readonly leaf: number; readonly start: number } {
    const { leaf, start } = this.#place;
    return this.#place.collection === collection && start <= item ? { leaf, start } : { leaf: 0, start: 0 };
  }

  #leaf(hash: string): Buffer {
    if (this.#last?.hash !== hash) this.#last = { hash, bytes: this.#chunks.read(hash) };
    return this.#last.bytes;
  }
}
