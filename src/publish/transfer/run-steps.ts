import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forEachLimit } from '../../storage/concurrency-limit.ts';
import type { Remote } from '../../storage/remote.ts';
import { MANIFEST } from '../../tree/manifest/manifest.ts';
import { type MetadataFile, readVerified } from '../../tree/verified-tree.ts';
import { encoded, fileHeaders, plainUpload } from '../objects/headers.ts';
import type { BrowsePair } from '../planning/browse-plan.ts';
import type { Stage, Step } from '../planning/steps.ts';
import { UNKNOWN_DIGEST } from '../planning/tree-comparison.ts';
import { type Transfer, uploadOverlap } from './overlap-page.ts';

/** The number of completed steps of each kind. */
export interface TransferResult {
  readonly uploads: number;
  readonly overlaps: number;
  readonly deletes: number;
}

/**
 * Carries out stages in order. After an error or an abort it begins no new request and waits for those in flight.
 * @param concurrency the most requests in flight at a time
 * @throws Failure stopped, tree-edited, target-failed, target-denied, target-busy, reader-gaps
 */
export async function runSteps(stages: Iterable<Stage>, transfer: Transfer, concurrency: number): Promise<TransferResult> {
  const done = { uploads: 0, overlaps: 0, deletes: 0 };
  const carryOut = async (step: Step) => {
    if (step.action === 'overlap') {
      if (await uploadOverlap(transfer, step.path)) done.overlaps += 1;
    } else if (step.action === 'delete') {
      await transfer.remote.remove(step.path);
      done.deletes += 1;
      transfer.onDeleted(done.deletes);
    } else {
      await upload(transfer, step);
      done.uploads += 1;
    }
  };
  for (const stage of stages) {
    await forEachLimit(stage(), concurrency, async (lane) => {
      for (const step of lane) await carryOut(step);
    });
  }
  return done;
}

/** Sends a file of the tree as it is. */
async function upload({ tree, remote, headers: choice, onSent }: Transfer, { path, digest }: Step): Promise<void> {
  const file = readVerified(tree, { path, digest });
  const headers = fileHeaders(choice, path);
  await remote.put(path, { bytes: encoded(file, headers, path), headers, digest });
  onSent(file.length);
}

/** Sends files beside the pages, one after another. */
export async function uploadMetadata(remote: Remote, files: readonly MetadataFile[]): Promise<void> {
  for (const { path, bytes } of files) await remote.put(path, plainUpload(path, bytes));
}

/**
 * Returns a manifest with the paths of the browse files of the tree, and of those at the target. It is at the target while
 * the files are exchanged. So the run after an interrupted one finds every file, and can remove those that its tree lacks.
 */
export function manifestOfBoth(out: string, pairs: Iterable<BrowsePair>): MetadataFile {
  let gone = '';
  for (const { path, wanted, there, isListed } of pairs) {
    if (wanted === undefined && isListed) gone += `${there ?? UNKNOWN_DIGEST}  ${path}\n`;
  }
  return { path: MANIFEST, bytes: Buffer.concat([Buffer.from(gone), readFileSync(join(out, MANIFEST))]) };
}
