import { Failure } from '../../contract/failure.ts';
import { SITE_MARKER } from '../../contract/files/markers.ts';
import { encodeJson, isObject } from '../../contract/json.ts';
import {
  count,
  falseOrNothing,
  list,
  oneOf,
  orNothing,
  parseShape,
  type Rule,
  type Shape,
  text,
  Violation,
} from '../../contract/json-shape.ts';
import type { Remote } from '../../storage/remote.ts';
import type { BuildRecord } from '../../tree/build-record.ts';
import { VERSION } from '../../version.ts';

/** The name of the object that contains the publish state and the lease. It is read first and written last. */
export const STATE: string = SITE_MARKER;

/** The counts and sizes of a tree that pages at the target may come from. */
export interface TreeSize
  extends Pick<BuildRecord, 'records' | 'accounts' | 'data_pages' | 'account_pages' | 'page_size' | 'account_page_size' | 'compress'> {
  /** SHA-256 of its sort keys; undefined if they are not reliable. */
  readonly sort_keys?: string | undefined;
}

/** The run that has the lease. */
export interface Holder {
  /** A hash that identifies the machine without its name. */
  readonly machine: string;
  readonly process: number;
  /** Random, different for each run. */
  readonly token: string;
  /** The number of the last heartbeat. */
  readonly beat: number;
}

export interface PublishState {
  readonly palimpsest: string;
  readonly state: 'published' | 'publishing';
  /** The trees that pages at the target may come from: one tree if `state` is `published`. */
  readonly trees: readonly TreeSize[];
  /** SHA-256 of the manifest of the tree that is published or being published. */
  readonly manifest: string;
  /** The headers of the pages, in one line. */
  readonly headers: string;
  /** The base URL of the links in the pages. */
  readonly base_url: string;
  /** False if a run wrote the pages without proved conditions, with --single-publisher. */
  readonly conditional?: false | undefined;
  /** How many exclusions the last known store had. */
  readonly exclusions: number;
  /** Null if no run has the lease. */
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
  sort_keys: orNothing(text),
};
const HOLDER: Shape<Holder> = { machine: text, process: count, token: text, beat: count };
const anything: Rule<unknown> = { expected: 'anything', accepts: (value): value is unknown => value !== undefined };
const SHAPE: Shape<Omit<PublishState, 'trees' | 'holder'> & { readonly trees: readonly unknown[]; readonly holder: unknown }> = {
  palimpsest: text,
  state: oneOf('published', 'publishing'),
  trees: list,
  manifest: text,
  headers: text,
  base_url: text,
  conditional: falseOrNothing,
  exclusions: count,
  holder: anything,
};

export function encodeState(state: Omit<PublishState, 'palimpsest'>): Buffer {
  return Buffer.from(`${encodeJson({ palimpsest: VERSION, ...state })}\n`);
}

/** @throws Violation if the bytes are not a valid state */
export function parseState(bytes: Buffer): PublishState {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw new Violation(STATE, 'a JSON object', 'text that is not JSON');
  }
  const { trees, holder, ...rest } = parseShape(SHAPE, value, '');
  return {
    ...rest,
    trees: trees.map((tree, index) => parseShape(SIZE, tree, `trees[${index}]`)),
    holder: isObject(holder) ? parseShape(HOLDER, holder, 'holder') : null,
  };
}

/** The state read from a target, with the bytes and the tag of its object. */
export interface FoundState {
  readonly state: PublishState;
  readonly bytes: Buffer;
  readonly tag: string;
}

/**
 * Reads the state of a target; undefined if it has no state.
 * @throws Failure not-ours if palimpsest did not write it
 */
export async function readState(remote: Remote): Promise<FoundState | undefined> {
  const fetched = await remote.get(STATE);
  if (fetched === undefined) return undefined;
  try {
    return { state: parseState(fetched.bytes), bytes: fetched.bytes, tag: fetched.tag };
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    throw notOurs(remote, { file: STATE, field: error.field }, error.expected, error.found);
  }
}

/** The refusal to replace a file of another program at a target. */
export function notOurs({ name }: Remote, place: Failure['place'] & { readonly file: string }, expected: string, found: string): Failure {
  return new Failure('not-ours', `${name} has a file ${place.file} that palimpsest did not write`, {
    place,
    expected,
    found,
    hint: 'publish to another target or prefix, or move that file away; nothing was changed',
  });
}

/** Returns the part of the build record that later publishes need. */
export function sizeOf(build: BuildRecord): TreeSize {
  const { records, accounts, data_pages, account_pages, page_size, account_page_size, compress } = build;
  return { records, accounts, data_pages, account_pages, page_size, account_page_size, compress };
}

/** Removes duplicates from the trees that pages may come from. The tree to be published stays last. */
export function distinct(trees: readonly TreeSize[]): TreeSize[] {
  const text = (tree: TreeSize) => JSON.stringify(Object.entries(tree).toSorted());
  return trees.filter((tree, index) => trees.findLastIndex((other) => text(other) === text(tree)) === index);
}
