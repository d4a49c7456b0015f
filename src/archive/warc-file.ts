import type { VerifiedTree } from '../tree/verified-tree.ts';
import { BrowseAddresses } from './browse-addresses.ts';
import { write, writeDraft } from './draft-file.ts';
import { siteDate } from './site-date.ts';
import { type ArchiveOptions, warcParts } from './warc.ts';

/**
 * Writes a tree as a WARC 1.1. Each record is a gzip member if the name ends in `.gz`.
 * @throws Failure tree-edited, file-system
 */
export async function writeWarc(tree: VerifiedTree, path: string, options: ArchiveOptions = {}): Promise<void> {
  const date = await siteDate(tree);
  const isCompressed = path.toLowerCase().endsWith('.gz');
  await writeDraft(path, async (file) => {
    for await (const { bytes } of warcParts(tree, new BrowseAddresses(tree), { ...options, date, isCompressed })) await write(file, bytes);
  });
}
