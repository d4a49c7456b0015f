import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { Digests } from './digests.ts';
import { pathOf, slotAt, slotCount } from './layout.ts';

/** The list of all pages with their SHA-256, in the form that `sha256sum -c` takes. */
export const MANIFEST = 'manifest-sha256.txt';

/** The digests of a tree's files, collection by collection. */
export type TreeDigests = { readonly [C in Collection]: Digests };

/** The manifest's text, and the SHA-256 (hexadecimal) of its bytes. */
export function encodeManifest(digests: TreeDigests): { readonly text: string; readonly digest: string } {
  const lines: string[] = [];
  for (const collection of COLLECTIONS) {
    const known = digests[collection];
    for (let slot = 0; slot < slotCount(known.pages); slot += 1)
      lines.push(`${known.get(slot)}  ${pathOf(collection, slot, known.pages)}\n`);
  }
  const text = lines.join('');
  return { text, digest: digestOf(text) };
}

/** The text of a tree's manifest; undefined where it has none. */
export function readManifest(out: string): string | undefined {
  try {
    return readFileSync(join(out, MANIFEST), 'utf8');
  } catch {
    return undefined;
  }
}

/** SHA-256 as hexadecimal digits. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** One line of a manifest: a file's digest and its path. */
export interface ManifestLine {
  readonly digest: string;
  readonly path: string;
}

/** A manifest's lines; undefined for a line that is none. */
export function* manifestLines(text: string): Generator<ManifestLine | undefined> {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const match = /^([0-9a-f]{64}) {2}(.+)$/.exec(text.slice(start, end));
    yield match === null ? undefined : { digest: match[1] ?? '', path: match[2] ?? '' };
    start = end + 1;
  }
}

/** The digests that a manifest gives for the files of a tree with so many pages; other lines do not count. */
export function parseManifest(text: string, pages: { readonly [C in Collection]: number }): TreeDigests {
  const digests = { data: new Digests(pages.data), account: new Digests(pages.account) };
  for (const line of manifestLines(text)) {
    if (line === undefined) continue;
    for (const collection of COLLECTIONS) {
      const slot = slotAt(collection, line.path, pages[collection]);
      if (slot !== undefined) digests[collection].set(slot, Buffer.from(line.digest, 'hex'));
    }
  }
  return digests;
}
