import type { Key } from '../rewrite/chunks.ts';

/** How the distance between two items of a list is counted, and how far apart boundaries are. */
export interface BoundaryRule {
  /** Two boundaries have more than this distance. On average they have twice this distance. */
  readonly distance: number;
  /** An item adds 1 to the distance for each started unit of bytes. */
  readonly unitBytes: number;
}

/**
 * Finds the boundaries of a list from its items alone. A boundary is after each item whose hash is smaller than all other
 * hashes within the distance of the rule, on both sides. So the boundaries do not depend on earlier states of the list,
 * and an item moves boundaries only within this distance.
 */
export class Boundaries {
  readonly #rule: BoundaryRule;
  /** The distance of the latest item from the beginning of the list, and its index. */
  #position = 0;
  #index = -1;
  /** The items whose hash is not larger than that of any later item, in ascending order: a monotonic stack. */
  readonly #hashes: number[] = [];
  readonly #positions: number[] = [];
  /** The index and the position of the latest item whose hash is smaller than all hashes near it so far; -1 if there is none. */
  #candidate = -1;
  #candidatePosition = 0;

  constructor(rule: BoundaryRule) {
    this.#rule = rule;
  }

  /**
   * Adds an item.
   * @param hash 32 bits
   * @returns the index of an item with a boundary after it, if this call decides that; otherwise -1
   */
  add(hash: number, bytes: number): number {
    const { distance, unitBytes } = this.#rule;
    this.#position += Math.max(1, Math.ceil(bytes / unitBytes));
    this.#index += 1;
    const position = this.#position;
    const isDecided = this.#candidate !== -1 && position - this.#candidatePosition > distance;
    const found = isDecided ? this.#candidate : -1;
    if (isDecided) this.#candidate = -1;
    while (this.#hashes.length > 0 && (this.#hashes.at(-1) ?? 0) > hash) {
      this.#hashes.pop();
      this.#positions.pop();
    }
    const isSmallest = this.#positions.length === 0 || position - (this.#positions.at(-1) ?? 0) > distance;
    if (isSmallest) {
      this.#candidate = this.#index;
      this.#candidatePosition = position;
    } else if (this.#hashes.at(-1) === hash && this.#positions.at(-1) === this.#candidatePosition) {
      // an equal hash nearby: neither item is smaller than the other
      this.#candidate = -1;
    }
    this.#hashes.push(hash);
    this.#positions.push(position);
    return found;
  }

  /** Ends the list. Returns the index of an item with a boundary after it, if only the end decides that; otherwise -1. */
  end(): number {
    return this.#candidate;
  }
}

/** Returns a hash of a key with 32 bits. */
export function keyHash(key: Key): number {
  if (typeof key === 'number') return mixed(mixed(Math.floor(key / 2 ** 32) + 1) ^ (key >>> 0));
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return mixed(hash);
}

/** The finalizer of MurmurHash3: every bit of the input changes every bit of the result in half of all cases. */
function mixed(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
