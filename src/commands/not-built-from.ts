import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';

/**
 * Returns the failure for a tree that was not built from the current state of a store.
 * @param built the fingerprint of the store that the tree was built from
 * @param present the present fingerprint of the store, and whether the tree shows an earlier state of it
 */
export function notBuiltFrom(
  out: string,
  built: string,
  store: string,
  { fingerprint, isOwn }: { readonly fingerprint: string; readonly isOwn: boolean },
): Failure {
  const options = { '--store': store, '--out': out };
  const replacing = { ...options, '--replace-tree': true } as const;
  return new Failure('store-diverged', `${out} was not built from the current state of ${store}`, {
    place: { file: out },
    expected: `a tree of the store with the fingerprint ${fingerprint}`,
    found: `a tree of a store with the fingerprint ${built}`,
    hint: isOwn
      ? hint`run ${suggested('build', options)} first`
      : hint`if the store went back to an earlier state, or another program changed it, run ${suggested('build', replacing)} first; otherwise name the store of the tree with --store`,
  });
}
