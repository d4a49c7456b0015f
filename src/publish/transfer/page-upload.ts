import { hash } from 'node:crypto';
import type { Collection } from '../../contract/collection.ts';
import type { Remote } from '../../storage/remote.ts';
import type { ObjectHeaders } from '../../storage/target.ts';
import type { Encoding } from '../../tree/encoding.ts';
import { encodingOf, pathOf } from '../../tree/layout.ts';
import { readVerified } from '../../tree/verified-tree.ts';
import { encoded } from '../objects/content-encoding.ts';
import { type HeaderChoice, pageHeaders } from '../objects/headers.ts';
import type { LocalTree } from '../trees/local-tree.ts';

/** What is needed to send files of a tree. */
export interface Transfer {
  readonly tree: LocalTree;
  /** Sends a request only while the lease is valid. */
  readonly remote: Remote;
  readonly headers: HeaderChoice;
  /** Called with the bytes of each file that was sent, before compression. */
  readonly onSent: (bytes: number) => void;
}

/** Where and how a file of the tree is stored at the target. */
export interface PageObject {
  readonly path: string;
  /** The encoding of a compressed variant; undefined for the page itself. */
  readonly variant: Encoding | undefined;
  readonly headers: ObjectHeaders;
}

export function pageObject({ tree, headers }: Transfer, collection: Collection, slot: number): PageObject {
  const { pages, encodings } = tree.digests[collection];
  const variant = encodingOf(slot, pages, encodings);
  return { path: pathOf(collection, slot, pages, encodings), variant, headers: pageHeaders(headers, variant) };
}

/** Sends a file of the tree as it is. */
export async function uploadPage(transfer: Transfer, collection: Collection, slot: number): Promise<void> {
  const { path, variant, headers } = pageObject(transfer, collection, slot);
  const file = await readVerified(transfer.tree, collection, slot);
  await transfer.remote.put(path, { bytes: encoded(file, headers, variant), headers, digest: hash('sha256', file) });
  transfer.onSent(file.length);
}
