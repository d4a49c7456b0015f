import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from '../../src/contract/site.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type History, toNdjson } from '../support/histories.ts';
import { type LiveService, startService } from './live-service.ts';
import { type PublishedTree, publish } from './published-tree.ts';

/** One history in a live service, and in a tree that the program built for the address of that service. */
export interface BothSides {
  readonly live: LiveService;
  readonly tree: PublishedTree;
}

export async function bothSides(history: History, sizes: Omit<Site, 'base_url'>): Promise<BothSides> {
  const folder = temporaryFolder();
  const ndjson = join(folder, 'history.ndjson');
  writeFileSync(
    ndjson,
    toNdjson(history)
      .map((line) => `${line}\n`)
      .join(''),
  );
  const live = await startService(ndjson, join(folder, 'live.db'), sizes);
  // import rejects an empty file, but not an empty page
  const page = join(folder, 'page.json');
  if (history.records.length === 0) writeFileSync(page, (await live.ask('/rest/data/')).body);
  const input = history.records.length === 0 ? page : ndjson;
  return { live, tree: await publish(input, folder, { ...sizes, base_url: live.baseUrl }) };
}
