import { forEachLimit } from '../../storage/pool.ts';
import type { Remote } from '../../storage/remote.ts';
import { ENCODINGS, encodingsIn } from '../../tree/encoding.ts';
import { fileCount } from '../../tree/layout.ts';
import { Digests } from '../../tree/manifest/digests.ts';
import type { ManifestLine } from '../../tree/manifest/lines.ts';
import type { VerifiedTree } from '../../tree/verified-tree.ts';
import { fileHeaders, type HeaderChoice, headerLine } from '../objects/headers.ts';
import { UNKNOWN_DIGEST } from '../planning/tree-comparison.ts';
import type { TreeSize } from '../state/state.ts';

/** The options for a scan, with the headers that pages get. */
export interface ScanOptions extends HeaderChoice {
  /** The most requests in flight at a time. */
  readonly concurrency: number;
  /** Called with the number of files that were requested, and the number of all. */
  readonly onScan?: ((done: number, all: number) => void) | undefined;
}

/**
 * Requests the digest of each page at a target, one by one.
 * @param trees the trees that the pages may come from
 * @returns the digests, with the layout of a tree with as many pages as the largest tree
 */
export async function scanPages(
  remote: Remote,
  { build }: VerifiedTree,
  trees: readonly TreeSize[],
  options: ScanOptions,
): Promise<Digests> {
  const all = [build, ...trees];
  const digests = new Digests({
    pages: { data: Math.max(...all.map((tree) => tree.data_pages)), account: Math.max(...all.map((tree) => tree.account_pages)) },
    encodings: ENCODINGS.filter((one) => all.some(({ compress }) => encodingsIn(compress).includes(one))),
  });
  await scan(remote, digests.entries(), fileCount(digests), options, ({ path }, digest) => {
    if (digest !== undefined) digests.set(path, Buffer.from(digest, 'hex'));
  });
  return digests;
}

/**
 * Requests files at a target, one by one.
 * @param all the number of files, for the progress
 * @param onFound called with the digest of each file. A file with other headers counts as unknown, and a missing one has none
 */
export async function scan<F extends Pick<ManifestLine, 'path'>>(
  remote: Remote,
  files: Iterable<F>,
  all: number,
  options: ScanOptions,
  onFound: (file: F, digest: string | undefined) => void,
): Promise<void> {
  let scanned = 0;
  await forEachLimit(files, options.concurrency, async (file) => {
    const head = await remote.head(file.path);
    scanned += 1;
    options.onScan?.(scanned, all);
    const hasHeaders = head?.headers === undefined || headerLine(head.headers) === headerLine(fileHeaders(options, file.path));
    onFound(file, head && ((hasHeaders ? head.digest : undefined) ?? UNKNOWN_DIGEST));
  });
}
