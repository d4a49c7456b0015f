import { HOME } from '../../browse/paths.ts';
import { lanesOf, type Stages, type Step } from './steps.ts';
import { type Comparison, deleteOf, uploadOf } from './tree-comparison.ts';

/** A browse file that is in the tree, at the target, or both. */
export interface BrowsePair {
  readonly path: string;
  /** The digest in the tree; undefined if the tree does not have the file. */
  readonly wanted: string | undefined;
  /** The digest at the target; undefined if the target does not have the file. */
  readonly there: string | undefined;
  /** Whether the manifest at the target has the path: then a run may have written it. */
  readonly isListed: boolean;
}

/** The stages of the browse files. Each call compares both manifests again, so memory does not grow with the files. */
export interface BrowsePlan extends Stages {
  /** The numbers of the browse files in the tree and at the target. */
  readonly files: number;
  readonly atTarget: number;
  /** Whether the tree has files that the manifest at the target does not list. */
  readonly hasUnlisted: boolean;
}

export function planBrowse(comparison: Pick<Comparison, 'browsePairs' | 'bytesOf' | 'hasOtherHeaders'>): BrowsePlan {
  const { browsePairs: pairs } = comparison;
  const totals = { files: 0, atTarget: 0, unlisted: 0 };
  for (const { wanted, there, isListed } of pairs()) {
    totals.files += Number(wanted !== undefined);
    totals.atTarget += Number(there !== undefined);
    totals.unlisted += Number(wanted !== undefined && !isListed);
  }
  function* uploads(rank: number): Generator<Step> {
    for (const { path, wanted, there } of pairs()) {
      if (wanted === undefined || rankOf(path, there) !== rank) continue;
      const step = uploadOf(comparison, path, wanted, there);
      if (step !== undefined) yield step;
    }
  }
  function* gone(): Generator<Step> {
    for (const { path, wanted, there } of pairs()) if (wanted === undefined && there !== undefined) yield deleteOf(path);
  }
  return {
    files: totals.files,
    atTarget: totals.atTarget,
    hasUnlisted: totals.unlisted > 0,
    stages: [0, 1, 2].map((rank) => () => lanesOf(uploads(rank))),
    deleteStages: [() => lanesOf(gone())],
  };
}

/** New files come first and the home page last, so that no link leads to a file that is not there yet. */
function rankOf(path: string, there: string | undefined): number {
  if (path === HOME) return 2;
  return there === undefined ? 0 : 1;
}
