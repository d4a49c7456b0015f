import type { Encoding } from '../encoding.ts';
import type { Layout } from '../layout.ts';
import { groupOf, type Listing, linesOfGroup, NO_FILES } from './listing.ts';

/** The number of lines that are kept in memory: a publish sends pages of several groups at a time. */
const MAX_LINES = 1 << 13;

/** The SHA-256 of the files of a tree, by path, as hexadecimal digits: those in a listing, except for some files. */
export class Digests implements Layout {
  readonly pages: Layout['pages'];
  readonly encodings: readonly Encoding[];
  readonly listing: Listing;
  /** The digests of the files that are not as the listing says. A missing file has none. */
  readonly others = new Map<string, string | undefined>();
  readonly #groups = new Map<string, ReadonlyMap<string, string>>();
  #lines = 0;

  constructor({ pages, encodings }: Layout, listing: Listing = NO_FILES) {
    this.pages = pages;
    this.encodings = encodings;
    this.listing = listing;
  }

  /** Returns undefined if there is no known file. */
  get(path: string): string | undefined {
    return this.others.has(path) ? this.others.get(path) : this.listed(path);
  }

  set(path: string, digest: string | undefined): void {
    if (digest !== this.listed(path)) this.others.set(path, digest);
  }

  /** Returns the digest that the listing has. */
  listed(path: string): string | undefined {
    const group = groupOf(path) ?? '';
    return this.listing.extents.has(group) ? (this.#groups.get(group) ?? this.#read(group)).get(path) : undefined;
  }

  #read(group: string): ReadonlyMap<string, string> {
    const digests = digestsOfGroup(this.listing, group);
    this.#lines += digests.size;
    for (const [oldest, { size }] of this.#groups) {
      if (this.#lines <= MAX_LINES) break;
      this.#groups.delete(oldest);
      this.#lines -= size;
    }
    this.#groups.set(group, digests);
    return digests;
  }
}

/** Returns the digests of one group, by path. Of a path that is listed twice, the first line counts. */
export function digestsOfGroup(listing: Listing, group: string): Map<string, string> {
  const digests = new Map<string, string>();
  for (const { path, digest } of linesOfGroup(listing, group)) if (!digests.has(path)) digests.set(path, digest);
  return digests;
}
