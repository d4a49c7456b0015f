import { encodeJson } from '../contract/json.ts';
import { count, list, parseShape, type Shape, text, textOrNull, Violation } from '../contract/shape.ts';
import { STORE_MARKER } from '../contract/target-marker.ts';
import type { StoreState } from '../store/image.ts';

/** The store at the time of one push. */
export interface Version extends StoreState {
  /** Starts at 1 and grows by one with each push. */
  readonly number: number;
  /** The number and a random part. Unique for each push. */
  readonly id: string;
  /** UTC, with a resolution of one second. */
  readonly pushed_at: string;
  /** The release of palimpsest that pushed it, and the version of the store's schema. */
  readonly palimpsest: string;
  readonly schema: number;
  /** The length of the whole file, and its SHA-256 as hexadecimal digits. */
  readonly bytes: number;
  readonly sha256: string;
  readonly block_bytes: number;
}

/** Blocks to delete: those of a version that the version `next` does not have. If `next` is null, all that the push itself wrote. */
export interface Garbage {
  readonly id: string;
  readonly next: string | null;
}

/** The versions that a target keeps, and the objects that are to be deleted. */
export interface Catalog {
  /** The kept versions, newest last. */
  readonly versions: readonly Version[];
  /** The ids of pushes that have begun and not ended. */
  readonly unfinished: readonly string[];
  /** The garbage to delete, in this order. Some of it may already be deleted. */
  readonly garbage: readonly Garbage[];
}

export const EMPTY: Catalog = { versions: [], unfinished: [], garbage: [] };

/**
 * Returns the catalog after the start of a push.
 * @param base the id of the newest version that the push has read; undefined if no version existed
 * @param deleted the ids of the garbage that is deleted
 * @returns `same` if the catalog already contains the start, `overtaken` if another push has ended since
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
 * Returns the catalog after the end of a push. Other pushes that have not ended can never end now, because the version
 * that they are based on is no longer the newest.
 * @param keep the number of versions to keep
 * @returns `same` or `overtaken` as for {@link beginPush}
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

/** @throws Violation if the bytes are not a valid catalog */
export function parseCatalog(bytes: Buffer): Catalog {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw new Violation(STORE_MARKER, 'a JSON object', 'text that is not JSON');
  }
  const { versions, unfinished, garbage } = parseShape(SHAPE, value, '');
  return {
    versions: versions.map((one, index) => parseShape(VERSION, one, `versions[${index}]`)),
    unfinished: unfinished.filter((one) => typeof one === 'string'),
    garbage: garbage.map((one, index) => parseShape(GARBAGE, one, `garbage[${index}]`)),
  };
}
