import { hash } from 'node:crypto';
import type { Target } from '../storage/target.ts';
import { sortKeysIn } from '../tree/existing-tree.ts';
import { piecesIn } from '../tree/lines.ts';
import { type Movement, movementBetween } from '../tree/movement.ts';
import { readSortKeys, SORT_KEYS } from '../tree/sort-keys.ts';
import type { LocalTree } from './local-tree.ts';
import type { PublishState } from './state.ts';

/** What the sort keys at a target say. */
export interface FoundSortKeys {
  /** How items move from the pages at the target to the tree's; undefined where its sort keys are not those of its pages. */
  readonly movement: Movement | undefined;
  /** Whether they are those of the tree. */
  readonly areCurrent: boolean;
}

/**
 * Compares the sort keys at a target with the tree's, in one request, or none where the state says that they are the
 * same. A run sends them before its pages: so they are those of the newest tree of which a page may be there, and in no
 * older one has an item stood on a later page, since that run would have been refused.
 */
export async function foundSortKeys(
  target: Target,
  state: PublishState | undefined,
  tree: LocalTree,
  signal: AbortSignal,
): Promise<FoundSortKeys> {
  if (state === undefined || tree.sortKeys === undefined) return { movement: undefined, areCurrent: false };
  const own = sortKeysIn(tree.out);
  if (state.trees.every(({ sort_keys }) => sort_keys === tree.sortKeys)) return { movement: movementBetween(own, own), areCurrent: true };
  if (state.trees.every(({ sort_keys }) => sort_keys === undefined)) return { movement: undefined, areCurrent: false };
  const fetched = await target.get(SORT_KEYS, signal);
  const digest = fetched === undefined ? undefined : hash('sha256', fetched.bytes);
  const isKnown = fetched !== undefined && state.trees.some(({ sort_keys }) => sort_keys === digest);
  const movement = isKnown
    ? movementBetween(
        readSortKeys(() => piecesIn(fetched.bytes)),
        own,
      )
    : undefined;
  return { movement, areCurrent: digest === tree.sortKeys };
}
