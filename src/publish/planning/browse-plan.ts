import { HOME } from '../../browse/paths.ts';
import { type Reason, reasonOf } from './comparison.ts';

/** A browse file that is in the tree, at the target, or both. */
export interface BrowsePair {
  readonly path: string;
  /** The digest in the tree; undefined if the tree does not have the file. */
  readonly wanted: string | undefined;
  /** The digest at the target; undefined if the target does not have the file. */
  readonly there: string | undefined;
  /** Whether the manifest at the target has the path: then a run may have written it. */
  readonly isListed: boolean;
  /** The size of the file in the tree. */
  readonly bytes: number;
}

/** A browse file that must be sent. */
export interface BrowseUpload {
  readonly path: string;
  readonly digest: string;
  readonly bytes: number;
  readonly reason: Reason;
}

/** The uploads and deletes of browse files. Each call compares both manifests again, so memory does not grow with the files. */
export interface BrowsePlan {
  /** The numbers of the browse files in the tree and at the target. */
  readonly files: number;
  readonly atTarget: number;
  /** Whether the tree has files that the manifest at the target does not list. */
  readonly hasUnlisted: boolean;
  /** The files to send, except the home page. They can be sent in any order. */
  readonly uploads: () => Iterable<BrowseUpload>;
  /** The home page, if it must be sent: after all other files, because it leads to them. */
  readonly home: () => Iterable<BrowseUpload>;
  /** The paths of the files that the tree no longer has. */
  readonly gone: () => Iterable<string>;
}

/** @param hasOtherHeaders whether the files at the target have other headers than this run would set */
export function planBrowse(pairs: () => Iterable<BrowsePair>, hasOtherHeaders: boolean): BrowsePlan {
  const totals = { files: 0, atTarget: 0, unlisted: 0 };
  for (const { wanted, there, isListed } of pairs()) {
    totals.files += Number(wanted !== undefined);
    totals.atTarget += Number(there !== undefined);
    totals.unlisted += Number(wanted !== undefined && !isListed);
  }
  function* uploads(isHome: boolean): Generator<BrowseUpload> {
    for (const { path, wanted, there, bytes } of pairs()) {
      if (wanted === undefined || (path === HOME) !== isHome) continue;
      const reason = reasonOf(wanted, there, hasOtherHeaders);
      if (reason !== undefined) yield { path, digest: wanted, bytes, reason };
    }
  }
  return {
    files: totals.files,
    atTarget: totals.atTarget,
    hasUnlisted: totals.unlisted > 0,
    uploads: () => uploads(false),
    home: () => uploads(true),
    *gone() {
      for (const { path, wanted, there } of pairs()) if (wanted === undefined && there !== undefined) yield path;
    },
  };
}
