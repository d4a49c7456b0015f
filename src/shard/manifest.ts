import { createHash } from 'node:crypto';
import { isObject } from '../contract/json.ts';
import { count, parseShape, type Rule, type Shape, text, Violation } from '../contract/shape.ts';

/** The version of the file format. A file of another version is refused. */
export const FORMAT = 1;
/** A file ends with the SHA-256 of its manifest, and the number of bytes of the manifest. */
const TRAILER_BYTES = 36;

/** Where a range of rows begins, in bytes, and how many bytes and rows it has. */
export type RowsRange = readonly [offset: number, bytes: number, rows: number];

/** The manifest at the end of a file of rows. */
export interface Manifest {
  readonly format: number;
  /** Identifies the run. */
  readonly run: string;
  readonly ranges: readonly RowsRange[];
  /** The SHA-256 of the checksums of all blocks. */
  readonly digest: string;
  /** Only in a partition: the digest of the shards from which it was folded, and the links in its markup. */
  readonly shards?: string | undefined;
  readonly network?: { readonly mention_url: string; readonly hashtag_url: string } | undefined;
}

const isRange = (value: unknown): value is RowsRange => Array.isArray(value) && value.length === 3 && value.every(count.accepts);

const ranges: Rule<Manifest['ranges']> = {
  expected: 'a list of ranges',
  accepts: (value): value is Manifest['ranges'] => Array.isArray(value) && value.every(isRange),
};

const textOrAbsent: Rule<string | undefined> = {
  expected: 'a string, or no such field',
  accepts: (value): value is string | undefined => value === undefined || text.accepts(value),
};

const network: Rule<Manifest['network']> = {
  expected: 'the links of mentions and hashtags, or no such field',
  accepts: (value): value is Manifest['network'] =>
    value === undefined || (isObject(value) && text.accepts(value['mention_url']) && text.accepts(value['hashtag_url'])),
};

const SHAPE: Shape<Required<Manifest>> = { format: count, run: text, ranges, digest: text, shards: textOrAbsent, network };

/** Returns a manifest as the end of a file. */
export function encodeManifest(manifest: Manifest): Buffer {
  const json = Buffer.from(JSON.stringify(manifest));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([json, createHash('sha256').update(json).digest(), length]);
}

/**
 * Parses the manifest at the end of a file.
 * @param end the last bytes of the file, or the whole file
 * @returns the manifest, and its length with the trailer; only the length if `end` does not contain the whole manifest
 * @throws Violation
 */
export function parseManifest(end: Buffer): { readonly manifest: Manifest | undefined; readonly length: number } {
  if (end.length < TRAILER_BYTES) throw noManifest(`${end.length} bytes`);
  const trailer = end.subarray(-TRAILER_BYTES);
  const length = trailer.readUInt32LE(32) + TRAILER_BYTES;
  if (length > end.length) return { manifest: undefined, length };
  const json = end.subarray(-length, -TRAILER_BYTES);
  if (!createHash('sha256').update(json).digest().equals(trailer.subarray(0, 32))) throw noManifest('other bytes');
  const value: unknown = JSON.parse(json.toString());
  const format = isObject(value) ? value['format'] : undefined;
  if (format !== FORMAT) throw new Violation('format', `format ${FORMAT}`, `format ${format}, of another version of palimpsest`);
  return { manifest: parseShape(SHAPE, value, ''), length };
}

export function noManifest(found: string): Violation {
  return new Violation('', 'a file with a manifest at its end', found);
}
