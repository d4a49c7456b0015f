import { join } from 'node:path';
import { Browse } from '../../src/browse/parts.ts';
import { NOTHING_RENDERED, type RenderedState } from '../../src/browse/rendered-state.ts';
import type { Site } from '../../src/contract/site.ts';
import { importInputs } from '../../src/import/import.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type History, toNdjson } from '../support/histories.ts';

export const SITE: Site = { base_url: 'https://example.org/api', page_size: 5, account_page_size: 3 };

/** Opens a new store with a history. The caller closes it. */
export async function storeOf(history: History): Promise<Store> {
  const path = join(temporaryFolder(), 'store.db');
  async function* bytes() {
    yield Buffer.from(toNdjson(history).join('\n'));
  }
  await importInputs(path, [{ name: 'lines', size: undefined, open: bytes }], { onConflict: 'fail' });
  return Store.open(path);
}

/** Returns all browse files of a store by path. */
export function browseFiles(store: Store, site: Site = SITE, rendered: RenderedState = NOTHING_RENDERED): Map<string, Buffer | undefined> {
  const browse = new Browse(store, site);
  const files = new Map<string, Buffer | undefined>();
  for (const part of browse.parts) {
    if (browse.isCurrent(part, rendered)) continue;
    for (const { path, render } of browse.files(part, rendered)) {
      if (files.has(path)) throw new Error(`${path} occurs twice`);
      files.set(path, render === undefined ? undefined : Buffer.concat(render()));
    }
  }
  return files;
}

/** Returns the HTML of a page. */
export function htmlOf(files: ReadonlyMap<string, Buffer | undefined>, path: string): string {
  return files.get(path)?.toString() ?? '';
}
