import { Failure, type Place } from '../../contract/failure.ts';
import { isObject } from '../../contract/json.ts';
import { count, oneOf, parseShape, type Rule, type Shape, text, Violation } from '../../contract/json-shape.ts';

const PART_FORMAT = 'palimpsest-part';

/** The first line of a part: a file with the snapshots of one shard of the sources. */
export interface PartHeader {
  readonly format: typeof PART_FORMAT;
  readonly version: 1;
  /** The number of the part, from 0, and the number of parts. */
  readonly part: number;
  readonly parts: number;
  /** The SHA-256 of the names and sizes of all sources, of the options that decide how they are read, and of `parts`. */
  readonly sources: string;
  /** The number of files and members of archives that were read for this part. */
  readonly files: number;
  readonly snapshots: number;
  /** The number of items that were rejected. */
  readonly rejected: number;
}

/** The first line of a part as an item. The observations after it in the same file belong to the part. */
export interface PartStart {
  readonly kind: 'part';
  readonly header: PartHeader;
  readonly place: Place;
}

const version: Rule<1> = { expected: '1', accepts: (value): value is 1 => value === 1 };

const HEADER: Shape<PartHeader> = {
  format: oneOf(PART_FORMAT),
  version,
  part: count,
  parts: count,
  sources: text,
  files: count,
  snapshots: count,
  rejected: count,
};

/** The maximum number of parts of a set. */
export const MAX_PARTS = 10_000;

export function partHeader(numbers: Omit<PartHeader, 'format' | 'version'>): PartHeader {
  return { format: PART_FORMAT, version: 1, ...numbers };
}

/** Whether a value is the first line of a part. */
export function isPartHeader(value: unknown): boolean {
  return isObject(value) && value['format'] === PART_FORMAT;
}

/** @throws Failure bad-part, because without its first line nothing shows that a part is missing */
export function parsePartHeader(value: unknown, place: Place): PartHeader {
  try {
    const header = parseShape(HEADER, value, '');
    if (header.part < header.parts && header.parts <= MAX_PARTS) return header;
    throw new Violation('part', `a number below parts, and at most ${MAX_PARTS} parts`, `part ${header.part} of ${header.parts}`);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    const { field, expected, found } = error;
    throw new Failure('bad-part', 'the first line of a part cannot be used', {
      place: { ...place, field },
      expected,
      found,
      hint: 'write the part again with palimpsest normalize of this version; the store is unchanged',
    });
  }
}
