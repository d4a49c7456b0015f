import type { Account } from '../contract/account.ts';
import { timestampOf } from '../contract/instant.ts';
import type { StoredAccount, StoredAccounts } from '../store/stored-accounts.ts';
import { accountMainPage, accountOlderPage } from './account-page.ts';
import { type AccountPart, accountParts, isOnePage } from './account-parts.ts';
import type { BrowseAccount } from './browse-account.ts';
import type { BrowseFile } from './browse-file.ts';
import { byteText, parseByteJson } from './byte-text.ts';
import { parseRecords } from './feed-page.ts';
import type { FormerHandles } from './former-handles.ts';
import { accountPage } from './paths.ts';

/** Yields the files of an account. They are not rendered if the store has not read its JSON. */
export function* accountFiles(
  accounts: StoredAccounts,
  formerHandles: FormerHandles,
  folder: number,
  stored: StoredAccount,
): Generator<BrowseFile> {
  const handle = byteText(stored.screen_name);
  const holders = formerHandles.holdersOf(handle, folder);
  const parts = isOnePage(stored.records, stored.bytes) ? ONE_PAGE : accountParts(accounts.sizes(stored.screen_name));
  const isOld = stored.head === null;
  let known: BrowseAccount | undefined;
  const read = () => {
    known ??= readAccount(accounts, stored, parts, holders);
    return known;
  };
  for (const [index, { first, last }] of parts.slice(0, -1).entries()) {
    const render = () => [accountOlderPage(read(), index + 1, parseRecords(accounts.recordsBetween(stored.screen_name, first, last)))];
    yield { path: accountPage(handle, index + 1), render: isOld ? undefined : render };
  }
  yield { path: accountPage(handle), render: isOld ? undefined : () => [accountMainPage(read())] };
}

const EMPTY = Buffer.alloc(0);
const ONE_PAGE: readonly AccountPart[] = [{ first: 0, last: Number.MAX_SAFE_INTEGER }];

function readAccount(
  accounts: StoredAccounts,
  stored: StoredAccount,
  parts: readonly AccountPart[],
  formerHolders: BrowseAccount['formerHolders'],
): BrowseAccount {
  const account: Account = parseByteJson(Buffer.concat([stored.head ?? EMPTY, stored.tail ?? EMPTY]));
  const older = parts.slice(0, -1);
  const first = older.length === 0 ? 0 : (parts.at(-1)?.first ?? 0);
  return {
    ...account,
    data: older.length === 0 ? account.data : account.data.filter(({ id }) => id >= first),
    records: stored.records,
    older,
    formerHandles: accounts
      .formerHandles(stored.id)
      .map(({ handle, seen_to }) => ({ handle: byteText(handle), seen_to: timestampOf(seen_to) })),
    formerHolders,
  };
}
