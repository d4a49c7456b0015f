import { hash } from 'node:crypto';
import type { Site } from '../contract/site.ts';
import type { Store } from '../store/store.ts';

/** Browse files that are rendered together. A part does not grow beyond 1/256 of the accounts or 500 pages. */
export interface BrowsePart {
  readonly name: string;
}

export interface BrowseFile {
  readonly path: string;
  /** Returns the bytes; undefined if nothing that the file shows has changed since the revision `since`. */
  readonly render: (() => readonly Uint8Array[]) | undefined;
}

/** Returns all parts in the order of the manifest. It is the same in each thread. */
export function browseParts(store: Store, site: Site): readonly BrowsePart[] {
  const pages = Math.ceil(store.revision.records / site.page_size);
  const changes = Array.from({ length: Math.ceil(pages / 500) }, (_, index) => ({ name: `changes-${index}` }));
  const accounts = Array.from({ length: 256 }, (_, index) => ({ name: `account-${index.toString(16).padStart(2, '0')}` }));
  return [{ name: 'home' }, ...changes, ...accounts];
}

/** Yields the files of a part, in a fixed order. */
export function* browseFiles(store: Store, site: Site, part: BrowsePart, since: number): Generator<BrowseFile> {
  const { records, accounts, number } = store.revision;
  const isOld = number <= since;
  const file = (path: string, text: () => string) => ({ path, render: isOld ? undefined : () => [Buffer.from(text())] });
  if (part.name === 'home') {
    yield file('index.html', () => `<p>${records} records, ${accounts} accounts`);
    yield { path: 'browse/assets/style.css', render: since >= 0 ? undefined : () => [Buffer.from('p{color:red}')] };
  } else if (part.name.startsWith('changes')) {
    const first = Number(part.name.slice(8)) * 500;
    const pages = Math.ceil(records / site.page_size);
    for (let page = first + 1; page <= Math.min(pages, first + 500); page += 1)
      yield file(`browse/changes/${page}.html`, () => `<p>page ${page} of ${records}`);
  } else {
    for (const { screen_name } of store.publishedAccounts()) {
      const name = hash('sha256', screen_name);
      if (!name.startsWith(part.name.slice(8))) continue;
      yield file(`browse/account/${name.slice(0, 2)}/${name.slice(2, 10)}.html`, () =>
        store
          .history(screen_name)
          .map((record) => `<p>${record.id}: ${record.text}`)
          .join('\n'),
      );
    }
  }
}

/** Returns the name of the part that a path belongs to; undefined if it is not the path of a browse file. */
export function partOf(path: string): string | undefined {
  if (path === 'index.html' || path === 'browse/assets/style.css') return 'home';
  const page = /^browse\/changes\/(\d+)\.html$/.exec(path)?.[1];
  if (page !== undefined) return `changes-${Math.floor((Number(page) - 1) / 500)}`;
  const folder = /^browse\/account\/([0-9a-f]{2})\/[\w.~-]+$/.exec(path)?.[1];
  return folder === undefined ? undefined : `account-${folder}`;
}
