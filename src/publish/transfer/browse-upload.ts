import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forEachLimit } from '../../storage/pool.ts';
import { MANIFEST } from '../../tree/manifest.ts';
import { readVerifiedFile } from '../../tree/verified-tree.ts';
import { encoded } from '../objects/content-encoding.ts';
import { browseHeaders } from '../objects/headers.ts';
import type { BrowsePair, BrowsePlan, BrowseUpload } from '../planning/browse-plan.ts';
import { UNKNOWN_DIGEST } from '../planning/comparison.ts';
import type { MetadataFile } from '../trees/local-tree.ts';
import type { Transfer } from './page-upload.ts';

/**
 * Sends browse files: the home page after all others, because it leads to them.
 * @param onDone called after each file
 * @throws Failure stopped, tree-edited, target-failed, target-denied, target-busy
 */
export async function uploadBrowse(transfer: Transfer, plan: BrowsePlan, concurrency: number, onDone: () => void): Promise<void> {
  const { tree, remote, headers: choice, onSent } = transfer;
  const send = async ({ path, digest }: BrowseUpload) => {
    const file = await readVerifiedFile(tree, { path, digest });
    const headers = browseHeaders(choice, path);
    await remote.put(path, { bytes: encoded(file, headers), headers, digest });
    onSent(file.length);
    onDone();
  };
  await forEachLimit(plan.uploads(), concurrency, send);
  await forEachLimit(plan.home(), concurrency, send);
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
