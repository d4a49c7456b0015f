import { DATA_TYPES } from '../contract/record.ts';
import { oneOf, parseShape, type Rule, type Shape, text, textOrNull, Violation } from '../contract/shape.ts';
import type { FoldedChange } from '../observe/fold.ts';

const before: Rule<FoldedChange['before']> = {
  expected: 'a string or null, or no such field',
  accepts: (value): value is FoldedChange['before'] => value === undefined || textOrNull.accepts(value),
};

const SHAPE: Shape<FoldedChange> = { type: oneOf(...DATA_TYPES), before, text: textOrNull, diff_html: text };

/** Encodes the changes of a row for the file of a partition. */
export function encodeChanges(changes: readonly FoldedChange[]): string {
  return JSON.stringify(changes);
}

/**
 * Parses the changes of a row in the file of a partition.
 * @throws Violation
 */
export function parseChanges(json: string): readonly FoldedChange[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Violation('', 'the changes of a snapshot as JSON', 'text that is not JSON');
  }
  if (!Array.isArray(value)) throw new Violation('', 'a list of changes', 'another JSON value');
  return value.map((one: unknown) => parseShape(SHAPE, one, ''));
}
