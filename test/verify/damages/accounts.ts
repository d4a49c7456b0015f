import type { AccountJson, Json } from '../damaged-tree.ts';
import { one } from '../damaged-tree.ts';
import { BRACKETS, type Damage } from './damage.ts';

/** ada has the first record and 15 records in total; dee is the first account on page 2; aaron and zoe have no records. */
const FIRST_PAGE = 'rest/account/index.json';
const SECOND_PAGE = 'rest/account/page/2/index.json';
const LAST_PAGE = 'rest/account/page/3/index.json';

/** Damages of accounts, and differences between accounts and feed. All are resealed. */
export const ACCOUNT_DAMAGES: readonly Damage[] = [
  ...field('has no name', { screen_name: undefined }, 'results[0].screen_name'),
  ...field('has an empty name', { screen_name: '' }, 'results[0].screen_name'),
  ...field('has a name with a lone surrogate', { screen_name: 'ada\ud800' }, 'results[0].screen_name'),
  ...field('has a name that is a number', { screen_name: 1 }, 'results[0].screen_name'),
  ...field('was created on a day that does not exist', { account_creation_date: '2011-02-29T00:00:00Z' }, 'account_creation_date'),
  ...field('was created at a time with a fraction', { account_creation_date: '2011-02-28T00:00:00.000000Z' }, 'account_creation_date'),
  ...field('has an image without a scheme', { profile_image_url: 'images.example/1.jpg' }, 'results[0].profile_image_url'),
  ...field('has no image at all', { profile_image_url: null }, 'results[0].profile_image_url'),
  ...field('has data that are not a list', { data: {} }, 'results[0].data'),
  ...field('has data with a null', { data: [null] }, 'results[0].data[0]'),
  ...field('has no data_page_count', { data_page_count: undefined }, 'results[0].data_page_count'),
  ...field('has a data_page_count in text', { data_page_count: '3' }, 'results[0].data_page_count'),
  ...field('has a data_page_count that cannot be printed', { data_page_count: { toString: 1, valueOf: 1 } }, 'data_page_count'),
  ...field('has a negative data_page_count', { data_page_count: -3 }, 'results[0].data_page_count'),
  ...field('has no bio', { bio: null }, 'results[0].bio'),
  ...field('has a location that is a number', { location: 1 }, 'results[0].location'),
  ...field('has a website that is a list', { website: [] }, 'results[0].website'),
  ...field('has an unknown field', { id: 1 }, 'results[0].id'),
  {
    name: 'an account has deeply nested data',
    damage: (tree) =>
      tree.editText('account', 2, (text) => text.replace('"data":[', `"data":[${'['.repeat(BRACKETS)}${']'.repeat(BRACKETS)},`)),
    expects: 'account-field',
    path: SECOND_PAGE,
    mentions: 'results[0].data[0]',
    also: ['account-data-missing'],
    deep: true,
  },
  {
    name: 'an account is not an object',
    damage: (tree) => tree.editPage('account', 3, (page) => Object.assign(page, { results: ['aaron', 'zoe'] })),
    expects: 'account-field',
    path: LAST_PAGE,
    mentions: 'results[1]',
    deep: true,
  },
  {
    name: 'an account has a record of another account',
    damage: (tree) =>
      tree.editAccount('Bob_2', (account) =>
        Object.assign(
          one(account.data, (record) => record.id === 128),
          { account: 'dee' },
        ),
      ),
    expects: 'account-field',
    path: FIRST_PAGE,
    mentions: 'results[1].data[0].account',
    also: ['account-data-missing'],
    deep: true,
  },

  {
    name: 'two accounts are swapped',
    damage: (tree) => tree.editAccounts(([ada, bob, ...others]) => list(bob, ada, ...others)),
    expects: 'account-order',
    path: FIRST_PAGE,
    subject: 'account ada',
    mentions: 'before Bob_2',
    deep: true,
  },
  {
    name: 'two accounts on different pages are swapped',
    damage: (tree) => tree.editAccounts(([ada, bob, celik, dee, ...others]) => list(ada, bob, dee, celik, ...others)),
    expects: 'account-order',
    path: SECOND_PAGE,
    subject: 'account çelik',
    deep: true,
  },
  {
    name: 'an account without records comes first',
    damage: (tree) => tree.editAccounts((accounts) => list(accounts.at(-1), ...accounts.slice(0, -1))),
    expects: 'account-order',
    path: FIRST_PAGE,
    subject: 'account ada',
    mentions: 'before zoe',
    deep: true,
  },
  {
    name: 'two accounts without records are in the wrong order',
    damage: (tree) => tree.editAccounts((accounts) => list(...accounts.slice(0, -2), accounts.at(-1), accounts.at(-2))),
    expects: 'account-order',
    path: LAST_PAGE,
    subject: 'account aaron',
    deep: true,
  },
  {
    name: 'an account without records is listed twice',
    damage: (tree) => tree.editAccounts((accounts) => list(...accounts, accounts.at(-1))),
    expects: 'account-twice',
    path: LAST_PAGE,
    subject: 'account zoe',
    also: ['account-order'],
    deep: true,
  },
  {
    name: 'an account without records has the name of an account with records',
    damage: (tree) => tree.editAccount('aaron', (account) => Object.assign(account, { screen_name: 'ada' })),
    expects: 'account-twice',
    path: LAST_PAGE,
    subject: 'account ada',
    deep: true,
  },
  {
    name: 'an account is split in two',
    damage: (tree) =>
      tree.editAccounts(([ada, bob, ...others]) => {
        if (ada === undefined || bob === undefined) throw new Error('no two accounts');
        const [newer, older] = [ada.data.slice(0, -1), ada.data.slice(-1)];
        // ada's first record is 10, the next is 22: the second part follows the accounts that begin between them
        const late = { ...ada, data: newer, data_page_count: 2 };
        const early = { ...ada, data: older, data_page_count: 1 };
        return list(early, bob, ...others.slice(0, 4), late, ...others.slice(4));
      }),
    expects: 'account-twice',
    path: LAST_PAGE,
    subject: 'account ada',
    // each part is checked separately: the previous of record 94 is in the other part
    also: ['record-predecessor'],
    deep: true,
  },

  {
    name: 'the profile image of an account is a script',
    damage: (tree) => tree.editAccount('ada', (account) => Object.assign(account, { profile_image_url: 'javascript:alert(1)' })),
    expects: 'url-scheme',
    path: FIRST_PAGE,
    subject: 'account ada',
    mentions: 'profile_image_url',
    deep: true,
  },
  {
    name: 'the records of an account are in ascending order',
    damage: (tree) => tree.editAccount('ada', (account) => account.data.reverse()),
    expects: 'account-data-order',
    path: FIRST_PAGE,
    subject: 'record 22',
    mentions: 'an id below 10',
    also: ['record-predecessor'],
    deep: true,
  },
  {
    name: 'two records of different fields of an account are swapped',
    damage: (tree) => tree.editAccount('ada', (account) => account.data.splice(0, 2, ...account.data.slice(0, 2).reverse())),
    expects: 'account-data-order',
    path: FIRST_PAGE,
    subject: 'record 120',
    deep: true,
  },
  ...[
    ['ada', 1, FIRST_PAGE, '3'],
    ['ada', 15, FIRST_PAGE, '3'],
    ['dee', 1, SECOND_PAGE, '2'],
    ['zoe', 1, LAST_PAGE, '0'],
  ].map(
    ([name, count, path, says]): Damage => ({
      name: `data_page_count of ${name} is ${count}`,
      damage: (tree) => tree.editAccount(String(name), (account) => Object.assign(account, { data_page_count: count })),
      expects: 'account-data-count',
      path: String(path),
      subject: `account ${name}`,
      mentions: String(says),
      deep: true,
    }),
  ),
  {
    name: 'an account lacks its newest record',
    damage: (tree) => tree.editAccount('çelik', (account) => account.data.shift()),
    expects: 'account-data-missing',
    path: 'rest/data/index.json',
    subject: 'record 126',
    mentions: 'no such record',
    deep: true,
  },
  {
    name: 'an account with records is missing',
    damage: (tree) => tree.editAccounts((accounts) => accounts.filter((account) => account.screen_name !== '日本')),
    expects: 'account-data-missing',
    path: 'rest/data/page/8/index.json',
    subject: 'record 20',
    deep: true,
  },
  {
    name: 'an account has a record twice',
    damage: (tree) => tree.editAccount('dee', (account) => account.data.unshift(...account.data.slice(0, 1))),
    expects: 'account-data-missing',
    path: SECOND_PAGE,
    subject: 'record 124',
    mentions: 'the record again',
    also: ['account-data-order', 'record-predecessor'],
    deep: true,
  },
  {
    name: 'the feed lacks a record',
    damage: (tree) => tree.editFeed((records) => records.filter((record) => record.id !== 94)),
    expects: 'account-data-surplus',
    path: FIRST_PAGE,
    subject: 'record 94',
    deep: true,
  },
  {
    name: 'the feed is empty',
    damage: (tree) => tree.editFeed(() => []),
    expects: 'account-data-surplus',
    path: SECOND_PAGE,
    subject: 'record 124',
    deep: true,
  },
  ...[
    { name: 'text', value: 'another', also: ['imported-diff-text'] as const },
    {
      name: 'diff_html',
      value: '<span>another</span>',
      also: ['imported-diff-form', 'imported-diff-previous', 'imported-diff-text'] as const,
    },
    { name: 'first_encountered_date', value: '2016-02-28T23:59:42Z', also: [] },
    { name: 'web_archive_url', value: null, also: [] },
    { name: 'data_type', value: 'Bio', also: ['record-predecessor', 'imported-diff-form'] as const },
  ].map(
    ({ name, value, also }): Damage => ({
      name: `${name} of a record differs between the account and the feed`,
      damage: (tree) =>
        tree.editAccount('eli', (account) =>
          Object.assign(
            one(account.data, (record) => record.id === 110),
            { [name]: value },
          ),
        ),
      expects: 'account-data-differs',
      path: SECOND_PAGE,
      subject: 'record 110',
      also,
      deep: true,
    }),
  ),
  {
    name: 'the feed gives a record to another account',
    damage: (tree) =>
      tree.editFeed(
        (records) =>
          void Object.assign(
            one(records, (record) => record.id === 110),
            { account: 'dee' },
          ),
      ),
    expects: 'account-data-differs',
    path: SECOND_PAGE,
    subject: 'record 110',
    mentions: '"account":"dee"',
    deep: true,
  },
];

/** A field of dee, or of one of its records, with an invalid value. */
function field(what: string, changes: Json, mentions: string): Damage[] {
  return [
    {
      name: `an account ${what}`,
      damage: (tree) =>
        tree.editAccounts((accounts) => accounts.map((account) => (account.screen_name === 'dee' ? { ...account, ...changes } : account))),
      expects: 'account-field',
      path: SECOND_PAGE,
      mentions,
      also: ['account-data-missing'],
      deep: true,
    },
  ];
}

/** Returns the accounts that are defined. */
function list(...accounts: (AccountJson | undefined)[]): AccountJson[] {
  return accounts.filter((account) => account !== undefined);
}
