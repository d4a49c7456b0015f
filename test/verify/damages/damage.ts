import type { Rule } from '../../../src/verify/violation.ts';
import type { DamagedTree } from '../damaged-tree.ts';

/** The violation that verify must report: its rule, the file that it names, its subject, and a part of what it expected or found. */
export type Expected = readonly [rule: Rule, path: string, subject?: string | undefined, mentions?: string];

/** A way to damage a tree, and the violation that verify must report. */
export interface Damage {
  /** A clause that describes the damaged tree. */
  readonly name: string;
  readonly expects: Expected;
  readonly damage: (tree: DamagedTree) => void;
  /** The other rules that the damage breaks. No further rule may be reported. */
  readonly also: readonly Rule[];
  /** Removes files that the cleanup of the folder cannot remove. */
  readonly after?: (tree: DamagedTree) => void;
  /** Whether to reseal the tree after the damage: then every digest is right and only the contents of files are wrong. */
  readonly deep?: boolean;
  /** Whether to compare the tree with its store. */
  readonly withStore?: boolean;
}

export function damaged(name: string, expects: Expected, damage: Damage['damage'], ...also: readonly Rule[]): Damage {
  return { name, expects, damage, also };
}

/** Returns damages after which the tree is resealed. */
export function sealed(damages: readonly Damage[]): Damage[] {
  return damages.map((damage) => ({ ...damage, deep: true }));
}

/** More nested brackets than a recursive parser survives. */
export const BRACKETS = 100_000;

export const GARBAGE: Uint8Array = Uint8Array.from({ length: 1000 }, (_, index) => (index * index * 31 + 128) % 256);
