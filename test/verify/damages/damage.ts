import type { Rule } from '../../../src/verify/violation.ts';
import type { DamagedTree } from '../damaged-tree.ts';

/** One way in which a tree goes wrong, and what verify must say of it. */
export interface Damage {
  readonly name: string;
  readonly damage: (tree: DamagedTree) => void;
  /** Takes away what cannot be removed with the rest. */
  readonly after?: (tree: DamagedTree) => void;
  readonly expects: Rule;
  /** The file that is to be named. */
  readonly path: string;
  readonly subject?: string;
  /** A part of what is to be said as found or expected. */
  readonly says?: string;
  /** The other rules that this breaks as well; no further one may be reported. */
  readonly also?: readonly Rule[];
  /** Whether every digest is made to agree afterwards, so that only what the files mean is wrong. */
  readonly deep?: boolean;
  /** Whether the tree is held against its store. */
  readonly withStore?: boolean;
}

/** More brackets than a program that descends by calls survives. */
export const BRACKETS = 100_000;

export const GARBAGE: Uint8Array = Uint8Array.from({ length: 1000 }, (_, index) => (index * index * 31 + 128) % 256);
