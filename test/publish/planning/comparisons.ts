import type { Comparison, FoundTree } from '../../../src/publish/planning/tree-comparison.ts';

/** The parts of a comparison without a usual value. */
export interface Sides extends Partial<Omit<Comparison, 'found' | 'build' | 'digests'>>, Pick<Comparison, 'build' | 'digests'> {
  readonly found: Partial<FoundTree> & Pick<FoundTree, 'trees' | 'digests'>;
}

/** Returns the comparison of a tree with what is at the target. */
export function comparing({ found, ...more }: Sides): Comparison {
  return {
    bytesOf: (path) => (path.startsWith('browse/') ? 5 : 100),
    browsePairs: () => [],
    movement: undefined,
    sendsSortKeys: true,
    reads: 3,
    proof: undefined,
    hasOtherHeaders: false,
    exclusions: { store: 2, target: 2 },
    concurrency: 32,
    prices: { write: 0.000005, read: 0.0000004 },
    ...more,
    found: { isScanned: false, isDamaged: false, isCurrent: true, ...found },
  };
}
