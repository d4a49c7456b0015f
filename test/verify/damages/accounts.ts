import { type AccountJson, type DamagedTree, type Json, one } from '../damaged-tree.ts';
import { type Damage, damaged, sealed } from './damage.ts';

/** ada has the first record and 15 records in total; dee is the first account on page 2; aaron and zoe have no records. */
const FIRST_PAGE = 'rest/account/index.json';
const SECOND_PAGE = 'rest/account/page/2/index.json';
const LAST_PAGE = 'rest/account/page/3/index.json';

/** Damages of accounts, and differences between accounts and feed. `invalid-pages.test.ts` has invalid fields. */
export const ACCOUNT_DAMAGES: readonly Damage[] = sealed([
  damaged(
    'an account has a record of another account',
    ['account-field', FIRST_PAGE, undefined, 'results[1].data[0].account'],
    inAccount('Bob_2', 128, { account: 'dee' }),
    'account-data-missing',
  ),
  damaged('two accounts are swapped', ['account-order', FIRST_PAGE, 'account ada', 'before Bob_2'], (tree) =>
    tree.editAccounts(([ada, bob, ...others]) => list(bob, ada, ...others)),
  ),
  damaged('two accounts without records are in the wrong order', ['account-order', LAST_PAGE, 'account aaron'], (tree) =>
    tree.editAccounts((accounts) => list(...accounts.slice(0, -2), accounts.at(-1), accounts.at(-2))),
  ),
  damaged(
    'an account without records is listed twice',
    ['account-twice', LAST_PAGE, 'account zoe'],
    (tree) => tree.editAccounts((accounts) => list(...accounts, accounts.at(-1))),
    'account-order',
  ),
  damaged(
    'the profile image of an account is a script',
    ['url-scheme', FIRST_PAGE, 'account ada', 'profile_image_url'],
    setting('ada', { profile_image_url: 'javascript:alert(1)' }),
  ),
  damaged('two records of different fields of an account are swapped', ['account-data-order', FIRST_PAGE, 'record 120'], (tree) =>
    tree.editAccount('ada', ({ data }) => data.splice(0, 2, ...data.slice(0, 2).reverse())),
  ),
  ...(
    [
      ['ada', FIRST_PAGE, '3'],
      ['zoe', LAST_PAGE, '0'],
    ] as const
  ).map(([name, path, says]) =>
    damaged(
      `data_page_count of ${name} is wrong`,
      ['account-data-count', path, `account ${name}`, says],
      setting(name, { data_page_count: 1 }),
    ),
  ),
  damaged('an account lacks its newest record', ['account-data-missing', 'rest/data/index.json', 'record 126', 'no such record'], (tree) =>
    tree.editAccount('çelik', ({ data }) => data.shift()),
  ),
  damaged(
    'an account has a record twice',
    ['account-data-missing', SECOND_PAGE, 'record 124', 'the record again'],
    (tree) => tree.editAccount('dee', ({ data }) => data.unshift(...data.slice(0, 1))),
    'account-data-order',
    'record-predecessor',
  ),
  damaged('the feed lacks a record', ['account-data-surplus', FIRST_PAGE, 'record 94'], (tree) =>
    tree.editFeed((records) => records.filter((record) => record.id !== 94)),
  ),
  damaged(
    'the address of a record differs between the account and the feed',
    ['account-data-differs', SECOND_PAGE, 'record 110'],
    inAccount('eli', 110, { web_archive_url: null }),
  ),
]);

function setting(name: string, changes: Json): Damage['damage'] {
  return (tree) => tree.editAccount(name, (account) => Object.assign(account, changes));
}

/** Changes a record of an account, but not that of the feed. */
function inAccount(name: string, id: number, changes: Json): (tree: DamagedTree) => void {
  return (tree) => tree.editAccount(name, ({ data }) => set(data, id, changes));
}

function set(records: AccountJson['data'], id: number, changes: Json): void {
  const found = one(records, (record) => record.id === id);
  Object.assign(found, changes);
}

/** Returns the accounts that are defined. */
function list(...accounts: (AccountJson | undefined)[]): AccountJson[] {
  return accounts.filter((account) => account !== undefined);
}
