import { join } from 'node:path';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { encodeJson, isObject } from '../contract/json.ts';
import { count, oneOf, parseShape, type Rule, type Shape, text, textOrNull, Violation } from '../contract/shape.ts';
import { isBaseUrl, type Site } from '../contract/site.ts';
import type { Child, Key, Node, Tree } from '../rewrite/chunks.ts';
import { foundLayout, HEAD } from '../tree/found-layout.ts';
import { readRegularFile } from '../tree/regular-file.ts';

/** A tree with the content of its root. */
export type KnownTree = Tree & { readonly node: Node };

/** When a generation was published. */
export interface Published {
  readonly generation: number;
  /** In ISO 8601, in UTC. */
  readonly time: string;
}

/** A state that a rollback replaced with an earlier one. */
export interface Withdrawn {
  readonly generation: number;
  /** The SHA-256 of the root of its log. */
  readonly log: string;
}

/** The content of `head.json`: the present state of both collections, and the log of all states. */
export interface ComposedHead extends Site {
  /** The release of palimpsest that built the tree. */
  readonly palimpsest: string;
  readonly layout: 'composed';
  /** The number of the present state, from 1. */
  readonly generation: number;
  /** The fingerprint of the store. */
  readonly store: string;
  /** The time of the newest exclusion in the store; null if it has none. */
  readonly last_exclusion: string | null;
  readonly data: KnownTree;
  readonly account: KnownTree;
  /** The log of generations. */
  readonly log: KnownTree;
  /** The publishes of the last day and the one before them, the oldest first. Only the head at a target has this field. */
  readonly published?: readonly Published[] | undefined;
  /**
   * The generations that rollbacks have withdrawn since the last removal. Their numbers are not used again, because readers have seen
   * them. Only the head at a target, or in a copy of the target, has this field.
   */
  readonly withdrawn?: readonly Withdrawn[] | undefined;
}

/** Returns the highest number that a generation ever had. */
export function highestNumber({ generation, withdrawn }: ComposedHead): number {
  return Math.max(generation, ...(withdrawn ?? []).map((one) => one.generation));
}

const HASH = /^[0-9a-f]{64}$/;

const isKey = (value: unknown): value is Key => count.accepts(value) || typeof value === 'string';
const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isHash = (value: unknown): value is string => typeof value === 'string' && HASH.test(value);

function isChild(value: unknown, level: number): value is Child {
  if (!Array.isArray(value)) return false;
  const [hash, items, bytes, last, leaf, leafItems]: unknown[] = value;
  const isValid = isHash(hash) && count.accepts(items) && items > 0 && count.accepts(bytes) && isKey(last);
  return isValid && (level === 1 ? value.length === 4 : value.length === 6 && isHash(leaf) && count.accepts(leafItems));
}

/** Whether a parsed value is a node of a tree. */
export function isNode(value: unknown): value is Node {
  if (!isObject(value)) return false;
  const { level, children } = value;
  return count.accepts(level) && level > 0 && Array.isArray(children) && children.every((child) => isChild(child, level));
}

const tree: Rule<KnownTree> = {
  expected: 'a tree with count, root and node',
  accepts: (value): value is KnownTree =>
    isObject(value) &&
    isHash(value['root']) &&
    isNode(value['node']) &&
    value['node'].children.reduce((sum, child) => sum + child[1], 0) === value['count'],
};

const published: Rule<readonly Published[] | undefined> = {
  expected: 'a list of generations with their times',
  accepts: (value): value is readonly Published[] | undefined =>
    value === undefined ||
    (Array.isArray(value) && value.every((one) => isObject(one) && count.accepts(one['generation']) && isTime(one['time']))),
};

const withdrawn: Rule<readonly Withdrawn[] | undefined> = {
  expected: 'a list of generations with the roots of their logs',
  accepts: (value): value is readonly Withdrawn[] | undefined =>
    value === undefined ||
    (Array.isArray(value) && value.every((one) => isObject(one) && count.accepts(one['generation']) && isHash(one['log']))),
};

const layout: Rule<'composed'> = oneOf('composed');

const SHAPE: Shape<ComposedHead> = {
  palimpsest: text,
  layout,
  base_url: text,
  page_size: count,
  account_page_size: count,
  generation: count,
  store: text,
  last_exclusion: textOrNull,
  data: tree,
  account: tree,
  log: tree,
  published,
  withdrawn,
};

export function encodeHead(head: ComposedHead): string {
  return `${encodeJson(head)}\n`;
}

/** Parses the bytes of `head.json`. Returns undefined if they are damaged. */
export function parseHead(bytes: Uint8Array): ComposedHead | undefined {
  try {
    const head = parseShape(SHAPE, JSON.parse(Buffer.from(bytes).toString()), '');
    const isValid = isBaseUrl(head.base_url) && head.page_size > 0 && head.account_page_size > 0 && head.generation > 0;
    return isValid && head.log.count > 0 && head.log.count <= head.generation ? head : undefined;
  } catch (error) {
    if (error instanceof Violation || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Reads the head of a tree. Returns undefined if there is none, or if it is damaged. */
export function readHead(out: string): ComposedHead | undefined {
  try {
    return parseHead(readRegularFile(join(out, HEAD)));
  } catch {
    return undefined;
  }
}

/**
 * Reads the head of a tree.
 * @throws Failure no-tree, tree-edited
 */
export function requireHead(out: string): ComposedHead {
  const head = readHead(out);
  if (head !== undefined) return head;
  const isDamaged = foundLayout(out) === 'composed';
  throw new Failure(isDamaged ? 'tree-edited' : 'no-tree', isDamaged ? `${join(out, HEAD)} is damaged` : `there is no tree in ${out}`, {
    place: { file: out },
    expected: `a ${HEAD} that palimpsest build wrote`,
    found: isDamaged ? 'a file with missing or wrong fields' : `no ${HEAD}`,
    hint: hint`run ${suggested('build', { '--layout': 'composed' })} again`,
  });
}
