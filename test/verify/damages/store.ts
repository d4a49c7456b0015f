import { one } from '../damaged-tree.ts';
import type { Damage } from './damage.ts';

/** Damages that leave a tree which is sound by itself: only the store knows better. All are sealed. */
export const STORE_DAMAGES: readonly Damage[] = [
  {
    name: 'build.json names another store',
    damage: (tree) => tree.editBuild({ store: '0'.repeat(64) }),
    expects: 'store-fingerprint',
    path: 'build.json',
    says: '0'.repeat(64),
    ...sealed(),
  },
  {
    name: 'the newest record is gone, everywhere',
    damage: (tree) => {
      tree.editFeed((records) => records.slice(1));
      tree.editAccount('Bob_2', (account) => account.data.shift());
    },
    expects: 'store-missing',
    path: 'rest/data/index.json',
    subject: 'record 128',
    also: ['store-differs'],
    ...sealed(),
  },
  {
    name: 'the oldest records are gone, everywhere',
    damage: (tree) => {
      tree.editFeed((records) => records.filter((record) => record['account'] !== '日本' || Number(record.id) > 24));
      tree.editAccount('日本', (account) => account.data.splice(-2));
    },
    expects: 'store-missing',
    path: 'rest/data/page/8/index.json',
    subject: 'record 20',
    also: ['store-surplus'],
    ...sealed(),
  },
  {
    name: 'the feed ends before its oldest record',
    damage: (tree) => {
      tree.editFeed((records) => records.slice(0, -1));
      tree.editAccount('ada', (account) => {
        account.data.pop();
        Object.assign(account, { data_page_count: 2 });
        Object.assign(
          one(account.data, (record) => record.id === 94),
          { previous: null },
        );
      });
      tree.editFeed(
        (records) =>
          void Object.assign(
            one(records, (record) => record.id === 94),
            { previous: null },
          ),
      );
      // ada begins with record 22 now, after all others that have any
      tree.editAccounts(([ada, ...others]) => (ada === undefined ? [] : [...others.slice(0, 5), ada, ...others.slice(5)]));
    },
    expects: 'store-missing',
    path: 'rest/data',
    subject: 'record 10',
    also: ['store-differs', 'store-surplus'],
    ...sealed(),
  },
  {
    name: 'an account without records is gone',
    damage: (tree) => tree.editAccounts((accounts) => accounts.slice(0, -1)),
    expects: 'store-missing',
    path: 'rest/account',
    subject: 'account zoe',
    ...sealed(),
  },
  {
    name: 'an account without records is gone before another',
    damage: (tree) => tree.editAccounts((accounts) => accounts.filter((account) => account.screen_name !== 'aaron')),
    expects: 'store-missing',
    path: 'rest/account/page/3/index.json',
    subject: 'account aaron',
    ...sealed(),
  },
  {
    name: 'there is nothing in the tree',
    damage: (tree) => {
      tree.setItems('data', []);
      tree.setItems('account', []);
    },
    expects: 'store-missing',
    path: 'rest/account',
    subject: 'account çelik',
    ...sealed(),
  },
  {
    name: 'a record was made up, everywhere',
    damage: (tree) => {
      const made = { id: 127, account: 'eli', data_type: 'Verified', previous: 50, text: 'false' };
      const diff_html = '<del style="background:#ffe6e6;">true</del><ins style="background:#e6ffe6;">false</ins>';
      const rest = { first_encountered_date: '2016-02-28T23:59:58.000058Z', diff_html, web_archive_url: null };
      tree.editFeed(([newest, ...others]) => (newest === undefined ? [] : [newest, { ...made, ...rest }, ...others]));
      tree.editAccount('eli', (account) => Object.assign(account, { data: [{ ...made, ...rest }, ...account.data], data_page_count: 2 }));
    },
    expects: 'store-surplus',
    path: 'rest/data/index.json',
    subject: 'record 127',
    also: ['store-differs'],
    ...sealed(),
  },
  {
    name: 'an account was made up',
    damage: (tree) =>
      tree.editAccounts((accounts) => [
        ...accounts.slice(0, -1),
        ...accounts.slice(-1).map((zoe) => ({ ...zoe, screen_name: 'bea' })),
        ...accounts.slice(-1),
      ]),
    expects: 'store-surplus',
    path: 'rest/account/page/3/index.json',
    subject: 'account bea',
    ...sealed(),
  },
  {
    name: 'the text of a record is another, everywhere',
    damage: (tree) =>
      tree.editRecord(110, (record) => Object.assign(record, { text: 'forged', diff_html: '\n<del></del><br /><ins>forged</ins>\n' })),
    expects: 'store-differs',
    path: 'rest/data/page/2/index.json',
    subject: 'record 110',
    says: 'forged',
    ...sealed(),
  },
  {
    name: 'the image of an account is another',
    damage: (tree) => tree.editAccount('zoe', (account) => Object.assign(account, { profile_image_url: 'https://evil.example/' })),
    expects: 'store-differs',
    path: 'rest/account/page/3/index.json',
    subject: 'account zoe',
    says: 'evil',
    ...sealed(),
  },
];

function sealed(): { readonly deep: true; readonly withStore: true } {
  return { deep: true, withStore: true };
}
