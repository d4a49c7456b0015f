import type { Rule } from '../../../src/verify/violation.ts';
import type { DamagedTree } from '../damaged-tree.ts';

/** A way to damage a tree, and the violation that verify must report. */
export interface Damage {
  /** A clause that describes the damaged tree. */
  readonly name: string;
  readonly damage: (tree: DamagedTree) => void;
  /** Removes files that the cleanup of the folder cannot remove. */
  readonly after?: (tree: DamagedTree) => void;
  readonly expects: Rule;
  /** The file that the violation names. */
  readonly path: string;
  readonly subject?: string;
  /** A part of the `expected` and `found` texts of the violation. */
  readonly mentions?: string;
  /** The other rules that the damage breaks. No further rule may be reported. */
  readonly also?: readonly Rule[];
  /** Whether to reseal the tree after the damage: then every digest is right and only the contents of files are wrong. */
  readonly deep?: boolean;
  /** Whether to compare the tree with its store. */
  readonly withStore?: boolean;
}

/** More nested brackets than a recursive parser survives. */
export const BRACKETS = 100_000;

export const GARBAGE: Uint8Array = Uint8Array.from({ length: 1000 }, (_, index) => (index * index * 31 + 128) % 256);
