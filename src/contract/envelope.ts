import { encodeJson } from './json.ts';
import { count, list, parseShape, type Shape, textOrNull } from './shape.ts';

/** A page of either collection, as docs/api.md describes it. */
export interface Envelope {
  /** Items in the whole collection. */
  readonly count: number;
  /** Absolute URL of the next page; null on the last. */
  readonly next: string | null;
  /** Absolute URL of the previous page; null on the first. */
  readonly previous: string | null;
  /** The page's items: change records or accounts. */
  readonly results: readonly unknown[];
}

const SHAPE: Shape<Envelope> = { count, next: textOrNull, previous: textOrNull, results: list };

/** @throws Violation at the first field that breaks its rule; the items are not looked at */
export function parseEnvelope(value: unknown, path = ''): Envelope {
  return parseShape(SHAPE, value, path);
}

/** An envelope's bytes up to its first item. */
export function encodeEnvelopeHead(envelope: Omit<Envelope, 'results'>): string {
  const { count, next, previous } = envelope;
  return `${encodeJson({ count, next, previous }).slice(0, -1)},"results":[`;
}

/** An envelope's bytes after its last item. */
export const ENVELOPE_TAIL = ']}';
