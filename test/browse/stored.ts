import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Browse } from '../../src/browse/parts.ts';
import { NOTHING_RENDERED } from '../../src/browse/rendered-state.ts';
import type { Site } from '../../src/contract/site.ts';
import { importInputs } from '../../src/import/import.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type History, toNdjson } from '../support/histories.ts';

export const SITE: Site = { base_url: 'https://history.example/api', page_size: 100, account_page_size: 100 };

/** Returns a store with a history. It is closed when the test ends. */
export async function storeOf(history: History): Promise<Store> {
  const path = join(temporaryFolder(), 'store.db');
  async function* bytes() {
    yield Buffer.from(toNdjson(history).join('\n'));
  }
  await importInputs(path, [{ name: 'lines', size: undefined, open: bytes }], { onConflict: 'fail' });
  const store = Store.open(path);
  onTestFinished(() => store.close());
  return store;
}

/** Returns all browse files of a store, by path. */
export function browseFilesOf(store: Store): Map<string, string> {
  const browse = new Browse(store, SITE);
  const files = new Map<string, string>();
  for (const part of browse.parts) {
    for (const { path, render } of browse.files(part, NOTHING_RENDERED)) {
      if (files.has(path)) throw new Error(`${path} is yielded twice`);
      if (render !== undefined) files.set(path, Buffer.concat([...render()]).toString());
    }
  }
  return files;
}
