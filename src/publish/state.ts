import { encodeJson, isObject } from '../contract/json.ts';
import { count, list, oneOf, parseShape, type Rule, type Shape, text, Violation } from '../contract/shape.ts';
import { SITE_MARKER } from '../storage/marker.ts';
import type { BuildRecord } from '../tree/build-record.ts';
import { VERSION } from '../version.ts';

/** At the target: what is published there, or who is at it. The first thing read and the last written. */
export const STATE: string = SITE_MARKER;

/** How large a tree is that pages at the target may come from. */
export interface TreeSize {
  readonly records: number;
  readonly accounts: number;
  readonly data_pages: number;
  readonly account_pages: number;
  readonly page_size: number;
  readonly account_page_size: number;
  /** As in the build record: what pages are there compressed with besides. */
  readonly compress: string;
  /** SHA-256 of its sort keys; undefined where they are not to be relied on. */
  readonly sort_keys?: string | undefined;
}

/** Who is publishing. */
export interface Holder {
  /** Names the machine, without saying its name. */
  readonly machine: string;
  readonly process: number;
  /** Chosen by lot for each run. */
  readonly token: string;
  /** Grows while the run lives. */
  readonly beat: number;
}

export interface PublishState {
  readonly palimpsest: string;
  readonly state: 'published' | 'publishing';
  /** The trees that pages at the target may come from: one where `state` is `published`. */
  readonly trees: readonly TreeSize[];
  /** SHA-256 of the manifest of the tree that is, or was to be, published. */
  readonly manifest: string;
  /** The pages' headers, in one line. */
  readonly headers: string;
  /** Null where nobody is at it. */
  readonly holder: Holder | null;
}

const SIZE: Shape<TreeSize> = {
  records: count,
  accounts: count,
  data_pages: count,
  account_pages: count,
  page_size: count,
  account_page_size: count,
  compress: text,
  sort_keys: {
    expected: 'text, or nothing',
    accepts: (value): value is string | undefined => value === undefined || typeof value === 'string',
  },
};
const HOLDER: Shape<Holder> = { machine: text, process: count, token: text, beat: count };
const anything: Rule<unknown> = { expected: 'anything', accepts: (value): value is unknown => value !== undefined };
const SHAPE: Shape<Omit<PublishState, 'trees' | 'holder'> & { readonly trees: readonly unknown[]; readonly holder: unknown }> = {
  palimpsest: text,
  state: oneOf('published', 'publishing'),
  trees: list,
  manifest: text,
  headers: text,
  holder: anything,
};

export function encodeState(state: Omit<PublishState, 'palimpsest'>): Buffer {
  return Buffer.from(`${encodeJson({ palimpsest: VERSION, ...state })}\n`);
}

/** @throws Violation where it is none */
export function parseState(bytes: Buffer): PublishState {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw new Violation(STATE, 'a JSON object', 'text that is no JSON');
  }
  const { trees, holder, ...rest } = parseShape(SHAPE, value, '');
  return {
    ...rest,
    trees: trees.map((tree, index) => parseShape(SIZE, tree, `trees[${index}]`)),
    holder: isObject(holder) ? parseShape(HOLDER, holder, 'holder') : null,
  };
}

/** What counts of a tree for those who publish over it. */
export function sizeOf(build: BuildRecord): TreeSize {
  const { records, accounts, data_pages, account_pages, page_size, account_page_size, compress } = build;
  return { records, accounts, data_pages, account_pages, page_size, account_page_size, compress };
}
