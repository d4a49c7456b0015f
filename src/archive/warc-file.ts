import type { VerifiedTree } from '../tree/verified-tree.ts';
import { BrowseAddresses } from './browse-addresses.ts';
import { write, writeDraft } from './draft-file.ts';
import { siteDate } from './site-date.ts';
import { type WarcOptions, warcRecords } from './warc.ts';

/**
 * Writes a tree as a WARC 1.1. Each record is a gzip member if the name ends in `.gz`.
 * @throws Failure tree-edited, file-system
 */
export async function writeWarc(tree: VerifiedTree, path: string, onProgress: WarcOptions['onProgress']): Promise<void> {
  const date = await siteDate(tree);
  const isCompressed = path.toLowerCase().endsWith('.gz');
  await writeDraft(path, async (file) => {
    for await (const { pieces } of warcRecords(tree, new BrowseAddresses(tree), { date, isCompressed, onProgress }))
      for (const piece of pieces) await write(file, piece);
  });
}
