import { plural } from '../../contract/amounts.ts';
import { isLoopback, localLinks, otherBaseUrl } from '../../contract/base-url.ts';
import { Failure } from '../../contract/failure.ts';
import { hint, suggested } from '../../contract/hint.ts';
import { encodingsIn } from '../../tree/encoding.ts';
import type { TreeSize } from '../state/state.ts';
import type { BrowsePlan } from './browse-plan.ts';
import type { Plan } from './plan.ts';
import { readerGaps } from './reader-gaps.ts';
import type { ExclusionCounts } from './tree-comparison.ts';

/** The limits that a plan must respect. */
export interface Limits {
  /** The most files that may be deleted: a number, or a share of the files at the target. */
  readonly maxDelete: { readonly most: number } | { readonly share: number };
  /** Whether to publish a tree even if readers miss items in every upload order. */
  readonly allowGaps: boolean;
  /** Whether to publish a tree whose links lead to the reader's own machine. */
  readonly allowLoopback: boolean;
  /** Whether to publish a tree with another base URL than the one at the target. */
  readonly allowOtherBaseUrl: boolean;
  /** Whether to publish even if the store has fewer exclusions than that of the last publish. */
  readonly replace: boolean;
}

interface Guarded extends Pick<Plan, 'isIdle' | 'deletes' | 'atTarget' | 'readerGaps'> {
  /** The base URL of the tree, and the one in the state of the target; undefined without a state. */
  readonly baseUrl: string;
  readonly baseUrlThere: string | undefined;
  /** Whether the deletes follow from a removal, or an interrupted run of the same tree was allowed to make them. */
  readonly areDeletesAllowed: boolean;
  /** What the target has and the tree lacks. */
  readonly lacking: readonly Lacking[];
  readonly exclusions: ExclusionCounts;
  /** How many accounts of the tree were removed from the store, and which state of the store the tree is of. */
  readonly removedInTree: { readonly accounts: number; readonly of: 'current' | 'earlier' | 'other' };
}

export function mostDeletes({ atTarget }: Pick<Plan, 'atTarget'>, { maxDelete }: Pick<Limits, 'maxDelete'>): number {
  return 'most' in maxDelete ? maxDelete.most : Math.floor(maxDelete.share * atTarget);
}

/**
 * Returns the reasons not to carry out a plan: store-diverged, loopback-url, other-base-url, too-many-deletes, reader-gaps, or an empty list.
 */
export function checkGuards(target: string, plan: Guarded, limits: Limits): Failure[] {
  const { maxDelete, allowGaps, allowLoopback, allowOtherBaseUrl, replace } = limits;
  const most = mostDeletes(plan, limits);
  const lacks = plan.lacking.map(({ what }) => `the target has ${what}, and the tree does not`);
  const options = plan.lacking.map(({ option }) => option).join(' ');
  const rebuild = options === '' ? '' : `build again with ${options}, then publish; or `;
  const links = localLinks(target, plan.baseUrl);
  const moved = allowOtherBaseUrl ? undefined : otherBaseUrl(target, plan.baseUrlThere, plan.baseUrl);
  const deletes = new Failure('too-many-deletes', `${plan.deletes} of the ${plan.atTarget} files at ${target} would be deleted`, {
    expected: 'most' in maxDelete ? `at most ${most}` : `at most ${most} (${maxDelete.share * 100} % of ${plan.atTarget} files)`,
    found: [`${plan.deletes} ${plan.deletes === 1 ? 'file' : 'files'} that the tree no longer has`, ...lacks].join('; '),
    hint: `${rebuild}check the deletes that --dry-run --json lists; if they are right, publish with --max-delete ${plan.deletes}. Deletes after palimpsest remove need no option if --store names the store`,
  });
  const gaps = readerGaps(target, plan.readerGaps.join('; '));
  const hasLocalLinks = isLoopback(plan.baseUrl) && !allowLoopback && !plan.isIdle;
  return [
    ...(plan.exclusions.store < plan.exclusions.target && !replace ? [olderStore(target, plan.exclusions)] : []),
    ...(plan.removedInTree.accounts > 0 ? [removedInTree(plan.removedInTree)] : []),
    ...(hasLocalLinks ? [links] : []),
    ...(moved === undefined ? [] : [moved]),
    ...(plan.deletes > most && !plan.areDeletesAllowed ? [deletes] : []),
    ...(plan.readerGaps.length > 0 && !allowGaps ? [gaps] : []),
  ];
}

/** The refusal of a store that lacks removals of the published one: it can still have the removed accounts. */
function olderStore(target: string, { store, target: there }: ExclusionCounts): Failure {
  return new Failure('store-diverged', `the store has fewer removed accounts than the store of the last publish to ${target}`, {
    expected: `at least ${plural(there, 'removed account')}`,
    found: store === 0 ? 'no removed account' : plural(store, 'removed account'),
    hint: 'pull the newest store, or name it with --store, or remove the same accounts from this one; then build again. If these accounts may be public again, publish with --replace',
  });
}

/** The refusal of a tree that has accounts that were removed from the store. */
export function removedInTree({ accounts, of }: Guarded['removedInTree']): Failure {
  return new Failure('store-diverged', 'the tree has accounts that were removed from the store', {
    expected: 'a tree without them',
    found: plural(accounts, 'removed account'),
    hint:
      of === 'earlier'
        ? hint`run ${suggested('build')} first`
        : 'if this is the store of the tree, build it again first; otherwise name its store with --store',
  });
}

/** What the target has and the tree lacks, because the tree was built with other options. */
export interface Lacking {
  readonly what: string;
  /** The option of `build` with which the tree would have it. */
  readonly option: string;
}

/** @param trees the trees that the pages at the target may come from */
export function lackingIn(tree: TreeSize, trees: readonly TreeSize[], browse: Pick<BrowsePlan, 'files' | 'atTarget'>): readonly Lacking[] {
  const last = trees.at(-1);
  if (last === undefined) return [];
  const copies = encodingsIn(last.compress);
  const sizes = [
    ['page_size', '--page-size'],
    ['account_page_size', '--account-page-size'],
  ] as const;
  return [
    ...(browse.files === 0 && browse.atTarget > 0 ? [{ what: `${browse.atTarget} files of HTML pages`, option: '--html' }] : []),
    ...(copies.some((one) => !encodingsIn(tree.compress).includes(one))
      ? [{ what: `compressed copies (${copies.join(', ')})`, option: `--compress ${copies.join(',')}` }]
      : []),
    ...sizes.flatMap(([name, option]) =>
      last[name] < tree[name] ? [{ what: `pages of ${last[name]} items`, option: `${option} ${last[name]}` }] : [],
    ),
  ];
}

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
