import { encodeJson } from '../contract/json.ts';
import { count, list, parseShape, type Shape, text, textOrNull, Violation } from '../contract/shape.ts';
import { STORE_MARKER } from '../storage/marker.ts';
import type { StoreState } from '../store/image.ts';

/** A store as it was at one push. */
export interface Version extends StoreState {
  /** From 1, one more at each push. */
  readonly number: number;
  /** The number and a random part: no two pushes have the same. */
  readonly id: string;
  /** UTC, to the second. */
  readonly pushed_at: string;
  /** The release of palimpsest that pushed it, and the version of the store's schema. */
  readonly palimpsest: string;
  readonly schema: number;
  /** Of the whole file: how long it is, and its SHA-256 as hexadecimal digits. */
  readonly bytes: number;
  readonly sha256: string;
  readonly block_bytes: number;
}

/** What is to be deleted: the blocks of a version that the next one does not have, or, where that is null, all that a push wrote itself. */
export interface Garbage {
  readonly id: string;
  readonly next: string | null;
}

/** What a target keeps. */
export interface Catalog {
  /** The versions that are kept, newest last. */
  readonly versions: readonly Version[];
  /** The ids of pushes that have begun and not ended. */
  readonly unfinished: readonly string[];
  /** What is to be deleted, in this order, or has been. */
  readonly garbage: readonly Garbage[];
}

export const EMPTY: Catalog = { versions: [], unfinished: [], garbage: [] };

/**
 * The catalog once a push has begun.
 * @param base the id of the newest version when the push looked; undefined where there was none
 * @param deleted the ids of garbage that is gone
 * @returns `same` where it has begun already, `overtaken` where another push has ended since
 */
export function beginPush(
  catalog: Catalog,
  id: string,
  base: string | undefined,
  deleted: ReadonlySet<string>,
): Catalog | 'same' | 'overtaken' {
  if (catalog.unfinished.includes(id)) return 'same';
  if (catalog.versions.at(-1)?.id !== base) return 'overtaken';
  return { ...catalog, unfinished: [...catalog.unfinished, id], garbage: catalog.garbage.filter((one) => !deleted.has(one.id)) };
}

/**
 * The catalog once a push has ended. A push that began and did not end before can never end now: the version that it was based on is not
 * the newest any more.
 * @param keep how many versions are kept
 * @returns as {@link beginPush}
 */
export function commitPush(catalog: Catalog, version: Version, base: string | undefined, keep: number): Catalog | 'same' | 'overtaken' {
  if (catalog.versions.some(({ id }) => id === version.id)) return 'same';
  if (catalog.versions.at(-1)?.id !== base) return 'overtaken';
  const all = [...catalog.versions, version];
  const dropped = all.slice(0, Math.max(0, all.length - keep));
  return {
    versions: all.slice(dropped.length),
    unfinished: [],
    garbage: [
      ...catalog.garbage,
      ...dropped.map(({ id }, index) => ({ id, next: all[index + 1]?.id ?? null })),
      ...catalog.unfinished.filter((id) => id !== version.id).map((id) => ({ id, next: null })),
    ],
  };
}

const VERSION: Shape<Version> = {
  number: count,
  id: text,
  pushed_at: text,
  palimpsest: text,
  schema: count,
  revision: count,
  fingerprint: text,
  observed: count,
  records: count,
  accounts: count,
  bytes: count,
  sha256: text,
  block_bytes: count,
};
const GARBAGE: Shape<Garbage> = { id: text, next: textOrNull };
const SHAPE: Shape<{ readonly [K in keyof Catalog]: readonly unknown[] }> = { versions: list, unfinished: list, garbage: list };

export function encodeCatalog({ versions, unfinished, garbage }: Catalog): Buffer {
  return Buffer.from(`${encodeJson({ versions, unfinished, garbage })}\n`);
}

/** @throws Violation where it is none */
export function parseCatalog(bytes: Buffer): Catalog {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw new Violation(STORE_MARKER, 'a JSON object', 'text that is no JSON');
  }
  const { versions, unfinished, garbage } = parseShape(SHAPE, value, '');
  return {
    versions: versions.map((one, index) => parseShape(VERSION, one, `versions[${index}]`)),
    unfinished: unfinished.filter((one) => typeof one === 'string'),
    garbage: garbage.map((one, index) => parseShape(GARBAGE, one, `garbage[${index}]`)),
  };
}
