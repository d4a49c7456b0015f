import type { TreeSize } from '../state/state.ts';
import type { BrowsePlan } from './browse-plan.ts';

/** The accounts at a target that were removed from the store, and their records. */
export interface Removal {
  readonly accounts: number;
  readonly records: number;
}

/**
 * Whether the deletes of a plan follow from a removal: without the removed accounts and their records, the tree has all that the
 * target has, in the same form.
 * @param trees the trees that the pages at the target may come from
 */
export function explainsDeletes(
  { accounts, records }: Removal,
  tree: TreeSize,
  trees: readonly TreeSize[],
  browse: Pick<BrowsePlan, 'files' | 'atTarget'>,
): boolean {
  const hasAll = trees.every(
    (there) =>
      there.records - records <= tree.records &&
      there.accounts - accounts <= tree.accounts &&
      there.page_size === tree.page_size &&
      there.account_page_size === tree.account_page_size &&
      there.compress === tree.compress,
  );
  return accounts > 0 && hasAll && (browse.files > 0 || browse.atTarget === 0);
}
