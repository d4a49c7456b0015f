import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Collection } from '../../src/contract/pages/collection.ts';
import type { Site } from '../../src/contract/site.ts';
import { MISSING, resolve } from '../../src/rewrite/resolve.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type History, toNdjson } from '../support/histories.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { type Answered, headersOf, type LiveService, startService } from './live-service.ts';

/** A tree that the program built. It answers requests like a host that uses the rewrite function. */
interface PublishedTree {
  readonly folder: string;
  readonly pages: { readonly [C in Collection]: number };
  /** The files that were returned so far. */
  readonly shown: ReadonlySet<string>;
  readonly ask: (target: string, method?: string) => Answered;
}

/** One history in a live service, and in a tree that the program built for the address of that service. */
export interface BothSides {
  readonly live: LiveService;
  readonly tree: PublishedTree;
}

export async function bothSides(
  history: History,
  sizes: Omit<Site, 'base_url'>,
  folder: string = temporaryFolder(),
  onEnd: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<BothSides> {
  const [ndjson, store, out] = [join(folder, 'history.ndjson'), join(folder, 'store.db'), join(folder, 'out')];
  writeFileSync(ndjson, toNdjson(history).join('\n'));
  const live = await startService(ndjson, join(folder, 'live.db'), sizes, onEnd);
  // import rejects an empty file, but not an empty page
  if (history.records.length === 0) writeFileSync(ndjson, (await live.ask('/rest/data/')).body);
  await palimpsestJson(['import', ndjson, '--store', store]);
  const options = ['--page-size', String(sizes.page_size), '--account-page-size', String(sizes.account_page_size)];
  await palimpsestJson(['build', '--store', store, '--out', out, '--base-url', live.baseUrl, ...options]);
  return { live, tree: treeIn(out) };
}

function treeIn(folder: string): PublishedTree {
  const { data_pages, account_pages } = JSON.parse(readFileSync(join(folder, 'build.json'), 'utf8'));
  const shown = new Set<string>();
  return {
    folder,
    pages: { data: data_pages, account: account_pages },
    shown,
    ask: (target, method = 'GET') => {
      const [path = '', query = ''] = target.split(/\?(.*)/s);
      const named = resolve(method, path, query);
      const answer = named.file === undefined || existsSync(join(folder, named.file)) ? named : MISSING;
      if (answer.file !== undefined) shown.add(answer.file);
      const body = answer.file === undefined ? Buffer.from(answer.body ?? '') : readFileSync(join(folder, answer.file));
      return { status: answer.status, headers: headersOf((name) => answer.headers[name]), body };
    },
  };
}
