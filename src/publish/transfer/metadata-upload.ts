import { hash } from 'node:crypto';
import type { Remote } from '../../storage/remote.ts';
import { plainHeaders } from '../objects/headers.ts';
import type { MetadataFile } from '../trees/local-tree.ts';

/** Sends files beside the pages, one after another. */
export async function uploadMetadata(remote: Remote, files: readonly MetadataFile[]): Promise<void> {
  for (const { path, bytes } of files) await remote.put(path, { bytes, headers: plainHeaders(path), digest: hash('sha256', bytes) });
}
