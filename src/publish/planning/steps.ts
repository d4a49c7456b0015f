import type { ManifestLine } from '../../tree/manifest/lines.ts';
import type { Reason } from './tree-comparison.ts';

/** One object that a run writes or deletes. `digest` is that of the file in the tree; '' for a delete. */
export interface Step extends ManifestLine {
  readonly action: 'overlap' | 'upload' | 'delete';
  /** Bytes before compression. An overlap page counts with its maximum size. */
  readonly bytes: number;
  readonly reason: Reason;
}

/** Steps that are carried out one after another. */
type Lane = Iterable<Step>;

/** Lanes that are carried out in parallel. Each call computes them again, so memory does not grow with the files. */
export type Stage = () => Iterable<Lane>;

/** What a run does at the target between its claim and its commit. */
export interface Stages {
  /** The uploads and overlap pages. */
  readonly stages: readonly Stage[];
  /** The deletes, which come after the uploads of all collections. */
  readonly deleteStages: readonly Stage[];
}

export function* lanesOf(steps: Iterable<Step>): Generator<Lane> {
  for (const step of steps) yield [step];
}

/** Yields the steps of stages in order. */
export function* stepsOf(stages: Iterable<Stage>): Generator<Step> {
  for (const stage of stages) for (const lane of stage()) yield* lane;
}
