import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Remote } from '../../storage/remote.ts';
import { MANIFEST } from '../../tree/manifest.ts';
import { plainHeaders } from '../objects/headers.ts';
import type { BrowsePair } from '../planning/browse-plan.ts';
import { UNKNOWN_DIGEST } from '../planning/comparison.ts';
import type { MetadataFile } from '../trees/local-tree.ts';

/** Sends files beside the pages, one after another. */
export async function uploadMetadata(remote: Remote, files: readonly MetadataFile[]): Promise<void> {
  for (const { path, bytes } of files) await remote.put(path, { bytes, headers: plainHeaders(path), digest: hash('sha256', bytes) });
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
