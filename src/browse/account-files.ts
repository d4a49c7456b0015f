import type { Account } from '../contract/account.ts';
import { timestampOf } from '../contract/instant.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { StoredAccount, StoredAccounts } from '../store/stored-accounts.ts';
import { accountMainPage, accountOlderPage } from './account-page.ts';
import { type AccountPart, accountParts, isOnePage } from './account-parts.ts';
import { atomBytes } from './atom.ts';
import { accountDocument } from './atom-feeds.ts';
import type { BrowseAccount } from './browse-account.ts';
import type { BrowseFile } from './browse-file.ts';
import { type ByteText, byteText, parseByteJson } from './byte-text.ts';
import type { FormerHandles } from './former-handles.ts';
import { accountFeed, accountPage } from './paths.ts';
import { parseRecords } from './record-text.ts';

/** Yields the files of an account. They are not rendered if the store has not read its JSON. */
export function* accountFiles(
  baseUrl: string,
  accounts: StoredAccounts,
  formerHandles: FormerHandles,
  stored: StoredAccount,
): Generator<BrowseFile> {
  const handle = byteText(stored.screen_name);
  const holders = formerHandles.holdersOf(handle);
  const parts = isOnePage(stored.records, stored.bytes) ? ONE_PAGE : accountParts(accounts.sizes(stored.screen_name));
  const isOld = stored.json === null;
  let known: BrowseAccount | undefined;
  const read = () => {
    known ??= readAccount(accounts, stored, parts, holders);
    return known;
  };
  const archives = parts.length - 1;
  const file = (path: ByteText, render: () => Buffer): BrowseFile => ({ path, render: isOld ? undefined : () => [render()] });
  const feed = (records: readonly ChangeRecord[], archive: number) =>
    atomBytes(baseUrl, accountDocument(handle, records, archives, archive));
  for (const [index, { first, last }] of parts.slice(0, -1).entries()) {
    const part = index + 1;
    let records: readonly ChangeRecord[] | undefined;
    const readPart = () => {
      records ??= parseRecords(accounts.recordsBetween(stored.screen_name, first, last));
      return records;
    };
    yield file(accountPage(handle, part), () => accountOlderPage(read(), part, readPart()));
    yield file(accountFeed(handle, part), () => feed(readPart(), part));
  }
  yield file(accountPage(handle), () => accountMainPage(read()));
  yield file(accountFeed(handle), () => feed(read().data, 0));
}

const ONE_PAGE: readonly AccountPart[] = [{ first: 0, last: Number.MAX_SAFE_INTEGER }];

function readAccount(
  accounts: StoredAccounts,
  stored: StoredAccount,
  parts: readonly AccountPart[],
  formerHolders: BrowseAccount['formerHolders'],
): BrowseAccount {
  const account: Account = parseByteJson(stored.json?.toString('latin1') ?? '');
  const older = parts.slice(0, -1);
  const first = older.length === 0 ? 0 : (parts.at(-1)?.first ?? 0);
  const verified = account.data.find(({ data_type }) => data_type === 'Verified');
  return {
    account,
    data: older.length === 0 ? account.data : account.data.filter(({ id }) => id >= first),
    verified: verified === undefined ? null : verified.text === 'true',
    records: stored.records,
    older,
    formerHandles: accounts
      .formerHandles(stored.id)
      .map(({ handle, seen_to }) => ({ handle: byteText(handle), seen_to: timestampOf(seen_to) })),
    formerHolders,
  };
}
