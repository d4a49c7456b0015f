import { Failure } from '../contract/failure.ts';
import type { ListedObject } from '../storage/object-source.ts';
import type { Remote } from '../storage/remote.ts';
import { commitPath, numbered, VERSIONS, type Version, type VersionKind } from './commit-format.ts';
import { type Known, known } from './newest-commit.ts';

/** Returns the paths below `versions/` that are neither those of commits nor of the data of live versions, with their numbers. */
export function leftoversIn(
  paths: Iterable<string>,
  live: readonly Version[],
): readonly { readonly path: string; readonly number: number }[] {
  const files = new Set(live.map(({ file }) => file));
  return [...paths].flatMap((path) => {
    const found = numbered(path);
    return found === undefined || found.isCommit || files.has(path) ? [] : [{ path, number: found.number }];
  });
}

export interface PruneOptions {
  /** The files that a commit of this run withdrew. A listing of the newest numbers may leave them out. */
  readonly withdrawn: ReadonlySet<string>;
  /** Whether to delete the data of commits that cannot be read, too: a removed account may be in it. */
  readonly isThorough: boolean;
  readonly abortsUploads: boolean;
}

/**
 * Deletes what no live version needs: data and open uploads with a number up to the newest commit can never become live, because
 * their writer no longer gets that number. So it does not matter whether the writer is still alive.
 * @param listed the objects below `versions/`
 * @returns the number of deleted objects and uploads
 */
export async function prune<V extends Version>(
  remote: Remote,
  kind: VersionKind<V>,
  { commit }: Known<V>,
  listed: readonly ListedObject[],
  { withdrawn, isThorough, abortsUploads }: PruneOptions,
): Promise<number> {
  const paths = new Set([...listed.map(({ path }) => path), ...withdrawn]);
  let deleted = 0;
  for (const { path, number } of leftoversIn(paths, commit.versions)) {
    if (number > commit.number) continue;
    // the list of a commit that cannot be read may have it
    const mayBeLive = !isThorough && !withdrawn.has(path) && number < commit.number && paths.has(commitPath(number));
    if (mayBeLive && known(kind, commitPath(number), (await remote.get(commitPath(number)))?.bytes) === undefined) continue;
    await remote.remove(path);
    deleted += 1;
  }
  const uploads = abortsUploads ? ((await remote.openUploads?.(VERSIONS)) ?? []) : [];
  for (const upload of uploads) {
    const found = numbered(upload.path);
    if (found === undefined || found.number > commit.number) continue;
    await remote.abortUpload(upload);
    deleted += 1;
  }
  return deleted;
}

/**
 * Refuses to call a removal done if data of earlier versions is still at the target.
 * @param left the files that this run could not delete
 * @throws Failure not-removed
 */
export function refuseRemains(remote: Remote, left: readonly string[]): void {
  const keeps = remote.keepsDeleted;
  if (!keeps && left.length === 0) return;
  throw new Failure('not-removed', `removed accounts can still be in files at ${remote.name}`, {
    place: { file: keeps ? remote.name : (left[0] ?? '') },
    expected: 'that no file with a removed account is left',
    found: keeps
      ? 'a bucket with versioning: it keeps files that are deleted'
      : 'files that are deleted only by the next run, because the object store has no conditional writes',
    hint: keeps
      ? 'delete the noncurrent versions of all objects below versions/ with the tools of the object store, and suspend the versioning of the bucket; then run the same command again'
      : 'run the same command again',
  });
}
