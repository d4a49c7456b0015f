import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Browse } from '../../src/browse/browse.ts';
import { NOTHING_RENDERED, type RenderedState } from '../../src/browse/parts.ts';
import type { Account } from '../../src/contract/account.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';
import type { Site } from '../../src/contract/site.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { History } from '../support/histories.ts';
import { importHistory } from '../verify/good-tree.ts';

export const SITE: Site = { base_url: 'https://example.org/api', page_size: 5, account_page_size: 3 };

/**
 * Returns a history of records, oldest first. What they do not say is the next bio of @nina, a minute later.
 * @param profile of each account
 */
export function historyOf(records: readonly Partial<ChangeRecord>[], profile: Partial<Account> = {}): History {
  const all = records.map((record, n): ChangeRecord => {
    const first_encountered_date = new Date(Date.UTC(2020, 0, 1) + n * 60_000).toISOString().replace('.000', '');
    const [previous, text] = [n === 0 ? null : n, `bio ${n}`];
    const bio = { id: n + 1, account: 'nina', data_type: 'Bio', previous, text, first_encountered_date } as const;
    return { ...bio, diff_html: `<ins style="background:#e6ffe6;">${text}</ins>`, web_archive_url: null, ...record };
  });
  const newestFirst = all.toReversed();
  const empty = { account_creation_date: null, profile_image_url: '', display_name: '', website: null, location: '', bio: '' };
  const accounts = [...new Set(all.length === 0 ? ['nina'] : all.map(({ account }) => account))].map((screen_name) => {
    return { screen_name, ...empty, ...profile, data: newestFirst.filter(({ account }) => account === screen_name) };
  });
  return { records: newestFirst, accounts };
}

/** Returns a store with a history. It is closed when the test ends. */
export async function storeOf(history: History): Promise<Store> {
  const path = join(temporaryFolder(), 'store.db');
  await importHistory(path, history);
  const store = Store.open(path);
  onTestFinished(() => store.close());
  return store;
}

/** Returns all browse files of a store by path; undefined for those that need not be rendered again. */
export function browseFiles(store: Store, site: Site = SITE, rendered: RenderedState = NOTHING_RENDERED): Map<string, string | undefined> {
  const browse = new Browse(store, site);
  const files = new Map<string, string | undefined>();
  for (const part of browse.parts) {
    if (browse.isCurrent(part, rendered)) continue;
    for (const { path, render } of browse.files(part, rendered)) {
      if (files.has(path)) throw new Error(`${path} occurs twice`);
      files.set(path, render === undefined ? undefined : Buffer.concat([...render()]).toString());
    }
  }
  return files;
}

/** Returns all browse files of the store at a path, and closes it. */
export function browseFilesAt(path: string, site: Site = SITE): Map<string, string> {
  const store = Store.open(path);
  const files = browseFiles(store, site);
  store.close();
  return textsOf(files);
}

/** Returns the text of each file with a suffix. */
export function textsOf(files: ReadonlyMap<string, string | undefined>, suffix = ''): Map<string, string> {
  return new Map([...files].flatMap(([path, text]) => (path.endsWith(suffix) && text !== undefined ? [[path, text] as const] : [])));
}
