import { hash } from 'node:crypto';
import type { Remote } from '../../storage/remote.ts';
import { sortKeysIn } from '../../tree/existing-tree.ts';
import { piecesIn } from '../../tree/lines.ts';
import { type Movement, movementBetween } from '../../tree/movement.ts';
import { readSortKeys, SORT_KEYS } from '../../tree/sort-keys.ts';
import type { VerifiedTree } from '../../tree/verified-tree.ts';
import type { PublishState } from '../state/state.ts';

/** The result of comparing the sort keys at a target with those of the tree. */
export interface SortKeyMovement {
  /** How items move from the pages at the target to the tree's; undefined if the target's sort keys do not match its pages. */
  readonly movement: Movement | undefined;
  /** Whether the sort keys at the target equal those of the tree. */
  readonly areCurrent: boolean;
}

/**
 * Compares the sort keys at a target with the tree's. This takes one request, or no request if the state shows that
 * they are equal. A run sends its sort keys before its pages. So they belong to the newest tree that may have a page
 * at the target. No older tree had an item on a later page: the guards would have refused that run.
 */
export async function sortKeyMovement(remote: Remote, state: PublishState | undefined, tree: VerifiedTree): Promise<SortKeyMovement> {
  if (state === undefined) return { movement: undefined, areCurrent: false };
  const own = sortKeysIn(tree.files);
  if (state.trees.every(({ sort_keys }) => sort_keys === tree.sortKeys)) return { movement: movementBetween(own, own), areCurrent: true };
  if (state.trees.every(({ sort_keys }) => sort_keys === undefined)) return { movement: undefined, areCurrent: false };
  const fetched = await remote.get(SORT_KEYS);
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
