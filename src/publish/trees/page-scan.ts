import { COLLECTIONS, type Collection } from '../../contract/collection.ts';
import { forEachLimit } from '../../storage/pool.ts';
import type { Remote } from '../../storage/remote.ts';
import { Digests } from '../../tree/digests.ts';
import { ENCODINGS, type Encoding, encodingsIn } from '../../tree/encoding.ts';
import { pathOf, slotCount } from '../../tree/layout.ts';
import type { TreeDigests } from '../../tree/manifest.ts';
import { fileHeaders, type HeaderChoice, headerLine } from '../objects/headers.ts';
import { UNKNOWN_DIGEST } from '../planning/comparison.ts';
import { sizeOf, type TreeSize } from '../state/state.ts';
import type { LocalTree } from './local-tree.ts';

/** The options for a scan, with the headers that pages get. */
export interface ScanOptions extends HeaderChoice {
  /** The most requests in flight at a time. */
  readonly concurrency: number;
  /** Called with the number of files that were requested, and the number of all. */
  readonly onScan?: ((done: number, all: number) => void) | undefined;
}

/** The result of a scan. */
export interface PageScan {
  /** The digests of the pages, numbered as in a tree with as many pages as the largest tree. Pages with other headers count as unknown. */
  readonly digests: TreeDigests;
  /** The pages that are already overlap pages for the local tree. */
  readonly overlapped: { readonly [C in Collection]: ReadonlySet<number> };
}

/**
 * Requests the digest of each page at a target, one by one.
 * @param trees the trees that the pages may come from
 */
export async function scanPages(
  remote: Remote,
  { build, digests: local }: LocalTree,
  trees: readonly TreeSize[],
  options: ScanOptions,
): Promise<PageScan> {
  const most = (count: (tree: TreeSize) => number) => Math.max(...[sizeOf(build), ...trees].map(count));
  const encodings = ENCODINGS.filter((one) => [sizeOf(build), ...trees].some(({ compress }) => encodingsIn(compress).includes(one)));
  const digests = emptyDigests(
    most((tree) => tree.data_pages),
    most((tree) => tree.account_pages),
    encodings,
  );
  const overlapped = { data: new Set<number>(), account: new Set<number>() };
  const all = COLLECTIONS.reduce((sum, name) => sum + slotCount(digests[name].pages, encodings), 0);
  let scanned = 0;
  for (const collection of COLLECTIONS) {
    const { pages } = digests[collection];
    const slots = Array(slotCount(pages, encodings)).keys();
    await forEachLimit(slots, options.concurrency, async (slot) => {
      const path = pathOf(collection, slot, pages, encodings);
      const head = await remote.head(path);
      scanned += 1;
      options.onScan?.(scanned, all);
      if (head === undefined) return;
      const hasHeaders = head.headers === undefined || headerLine(head.headers) === headerLine(fileHeaders(options, path));
      digests[collection].set(slot, Buffer.from((hasHeaders ? head.digest : undefined) ?? UNKNOWN_DIGEST, 'hex'));
      // a page with variants is checked again: some of its files may not be overlap pages yet
      const isAlone = local[collection].encodings.length === 0;
      if (isAlone && head.holds !== undefined && head.holds === local[collection].get(slot)) overlapped[collection].add(slot);
    });
  }
  return { digests, overlapped };
}

/** Returns digests for this many pages, none of which is known. */
export function emptyDigests(data: number, account: number, encodings: readonly Encoding[]): TreeDigests {
  return { data: new Digests(data, encodings), account: new Digests(account, encodings) };
}
