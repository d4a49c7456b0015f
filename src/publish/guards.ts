import { Failure } from '../contract/failure.ts';
import type { Plan } from './plan.ts';

/** What a plan may do to a target and its readers. */
export interface Limits {
  /** How many files may be deleted: a number, or a share of the files at the target. */
  readonly maxDelete: { readonly most: number } | { readonly share: number };
  /** Whether a tree is published that no order can bring to readers without their missing something. */
  readonly allowGaps: boolean;
}

/** Why a plan is not to be carried out: too-many-deletes, reader-gaps, both or none. */
export function checkGuards(target: string, plan: Plan, { maxDelete, allowGaps }: Limits): Failure[] {
  const most = 'most' in maxDelete ? maxDelete.most : Math.floor(maxDelete.share * plan.atTarget);
  const deletes = new Failure('too-many-deletes', `${plan.deletes} of the ${plan.atTarget} files at ${target} would be deleted`, {
    expected: `at most ${most}`,
    found: `${plan.deletes} files that the tree no longer has`,
    hint: 'look whether this is the right tree and the right target (--plan); --max-delete allows more',
  });
  const gaps = new Failure('reader-gaps', `no order can bring this tree to ${target} without a reader missing something`, {
    expected: 'as many records and accounts as before or more, on pages that are no larger',
    found: plan.gaps.join('; '),
    hint: 'publish with --allow-gaps if readers may miss records that move past them',
  });
  return [...(plan.deletes > most ? [deletes] : []), ...(plan.gaps.length > 0 && !allowGaps ? [gaps] : [])];
}
