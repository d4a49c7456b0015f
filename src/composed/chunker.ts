import type { Child, Key } from '../rewrite/chunks.ts';
import { Boundaries, type BoundaryRule, keyHash } from './boundaries.ts';
import { encodeLeaf, type ItemRun, type PutChunk } from './chunk.ts';

/** Where the leaves of the feed end: a page of 100 records needs at most two leaves. */
export const FEED_RULE: BoundaryRule = { distance: 100, unitBytes: 1024 };
/** Where the leaves of the accounts end: a page of 100 accounts needs at most nine leaves. */
export const ACCOUNT_RULE: BoundaryRule = { distance: 12, unitBytes: 8192 };
/** Where the leaves of the log end. */
export const LOG_RULE: BoundaryRule = { distance: 100, unitBytes: 1024 };

const COMMA = Buffer.from(',');

/** Splits consecutive items into leaves. Memory holds the items of about two leaves, and the runs that contain them. */
export class Chunker {
  readonly #boundaries: Boundaries;
  readonly #put: PutChunk;
  readonly #leaves: Child[] = [];
  /** The items that are in no leaf yet: their keys, their lengths, and their bytes with a comma after each run. */
  #keys: Key[] = [];
  #lengths: number[] = [];
  #json: Uint8Array[] = [];
  /** The index of the first of these items, as the boundaries count. */
  #first = 0;

  constructor(rule: BoundaryRule, put: PutChunk) {
    this.#boundaries = new Boundaries(rule);
    this.#put = put;
  }

  /** Adds items that precede the first leaf: they decide about boundaries, but are in no leaf of this chunker. */
  addContext(keys: readonly Key[], lengths: readonly number[]): void {
    for (const [index, key] of keys.entries()) this.#boundaries.add(keyHash(key), lengths[index] ?? 0);
    this.#first += keys.length;
  }

  add({ keys, lengths, json }: ItemRun): void {
    if (keys.length === 0) return;
    this.#json.push(json, COMMA);
    for (const [index, key] of keys.entries()) {
      const length = lengths[index] ?? 0;
      this.#keys.push(key);
      this.#lengths.push(length);
      this.#endLeafAfter(this.#boundaries.add(keyHash(key), length));
    }
  }

  /** Ends the last leaf at the end of the collection. Returns all leaves. */
  end(): readonly Child[] {
    this.#endLeafAfter(this.#boundaries.end());
    this.#endLeaf(this.#keys.length);
    return this.#leaves;
  }

  /**
   * Ends the last leaf before other items.
   * @param keys the items that follow, until no boundary of this chunker depends on later ones
   */
  endBefore(keys: readonly Key[], lengths: readonly number[]): readonly Child[] {
    for (const [index, key] of keys.entries()) this.#endLeafAfter(this.#boundaries.add(keyHash(key), lengths[index] ?? 0));
    this.#endLeafAfter(this.#boundaries.end());
    if (this.#keys.length > 0) throw new Error('no boundary after the last item');
    return this.#leaves;
  }

  /** @param index the index of an item, as the boundaries count; a boundary outside the items of this chunker is ignored */
  #endLeafAfter(index: number): void {
    const items = index - this.#first + 1;
    if (items > 0 && items <= this.#keys.length) this.#endLeaf(items);
  }

  #endLeaf(items: number): void {
    const last = this.#keys[items - 1];
    if (last === undefined) return;
    const keys = this.#keys.splice(0, items);
    const lengths = this.#lengths.splice(0, items);
    const chunk = encodeLeaf(keys, lengths, this.#take(lengths.reduce((sum, length) => sum + length + 1, -1)));
    this.#put(chunk);
    this.#leaves.push([chunk.hash, items, chunk.bytes, last]);
    this.#first += items;
  }

  /** Takes bytes from the front, and drops the comma after them. */
  #take(bytes: number): readonly Uint8Array[] {
    const taken: Uint8Array[] = [];
    let left = bytes;
    while (left > 0) {
      const piece = this.#json.shift();
      if (piece === undefined) throw new Error('fewer bytes than the lengths of the items');
      taken.push(piece.length <= left ? piece : piece.subarray(0, left));
      if (piece.length > left) this.#json.unshift(piece.subarray(left));
      left -= piece.length;
    }
    const rest = this.#json.shift();
    if (rest !== undefined && rest.length > 1) this.#json.unshift(rest.subarray(1));
    return taken;
  }
}

/** Splits all items of a collection into leaves. */
export function leavesOf(rule: BoundaryRule, runs: Iterable<ItemRun>, put: PutChunk): readonly Child[] {
  const chunker = new Chunker(rule, put);
  for (const run of runs) chunker.add(run);
  return chunker.end();
}
