import type { FormerHolderText } from './browse-account.ts';
import type { BrowseFile } from './browse-file.ts';
import type { ByteText } from './byte-text.ts';
import { formerHandleFeed } from './former-handle-feed.ts';
import { formerHandlePage, formerPartPage } from './former-handle-page.ts';
import { accountFeed, accountPage } from './paths.ts';

/**
 * Yields the files that lead from the addresses under a former handle to the accounts that had it.
 * @param presentParts the number of parts of the account that has the handle today; 0 if there is none
 */
export function* formerHandleFiles(
  baseUrl: string,
  handle: ByteText,
  holders: readonly FormerHolderText[],
  presentParts: number,
): Generator<BrowseFile> {
  if (presentParts === 0) {
    yield { path: accountPage(handle), render: () => [formerHandlePage(handle, holders)] };
    yield { path: accountFeed(handle), render: () => [formerHandleFeed(baseUrl, handle, holders)] };
  }
  const last = Math.max(0, ...holders.map(({ parts }) => parts));
  // the addresses of the first part are on the main page
  for (let part = Math.max(1, presentParts) + 1; part <= last; part += 1) {
    const had = holders.filter(({ parts }) => parts >= part);
    yield { path: accountPage(handle, part), render: () => [formerPartPage(handle, had, part)] };
  }
}
