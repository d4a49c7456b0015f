import { encodingsIn } from '../../tree/encoding.ts';
import type { TreeSize } from '../state/state.ts';
import type { BrowsePlan } from './browse-plan.ts';

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
    ...(browse.files === 0 && browse.atTarget > 0 ? [{ what: `${browse.atTarget} pages and feeds for people`, option: '--html' }] : []),
    ...(copies.some((one) => !encodingsIn(tree.compress).includes(one))
      ? [{ what: `compressed copies (${copies.join(', ')})`, option: `--compress ${copies.join(',')}` }]
      : []),
    ...sizes.flatMap(([name, option]) =>
      last[name] < tree[name] ? [{ what: `pages of ${last[name]} items`, option: `${option} ${last[name]}` }] : [],
    ),
  ];
}
