import { encodeJson } from '../json.ts';
import { count, list, parseShape, type Shape, textOrNull } from '../json-shape.ts';

/** A page of either collection, as docs/api.md describes it. */
export interface Envelope {
  /** The number of items in the whole collection. */
  readonly count: number;
  /** Absolute URL of the next page; null on the last. */
  readonly next: string | null;
  /** Absolute URL of the previous page; null on the first. */
  readonly previous: string | null;
  /** The page's items: change records or accounts. */
  readonly results: readonly unknown[];
}

const SHAPE: Shape<Envelope> = { count, next: textOrNull, previous: textOrNull, results: list };

/**
 * Parses a page without checking its items.
 * @throws Violation at the first field that breaks its rule
 */
export function parseEnvelope(value: unknown, path = ''): Envelope {
  return parseShape(SHAPE, value, path);
}

/** Returns the JSON of an envelope before its first item. */
export function encodeEnvelopeHead(envelope: Omit<Envelope, 'results'>): string {
  const { count, next, previous } = envelope;
  return `${encodeJson({ count, next, previous }).slice(0, -1)},"results":[`;
}

/** The JSON of an envelope after its last item. */
export const ENVELOPE_TAIL = ']}';
