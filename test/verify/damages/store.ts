import { one } from '../damaged-tree.ts';
import type { Damage } from './damage.ts';

/** Damages that leave a valid tree: only a comparison with the store finds them. All are resealed. */
export const STORE_DAMAGES: readonly Damage[] = [
  {
    name: 'build.json has the fingerprint of another store',
    damage: (tree) => tree.editBuild({ store: '0'.repeat(64) }),
    expects: 'store-fingerprint',
    path: 'build.json',
    mentions: '0'.repeat(64),
    ...sealed(),
  },
  {
    name: 'the newest record is missing from the whole tree',
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
    name: 'the oldest records are missing from the whole tree',
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
    name: 'the oldest record is missing from the whole tree',
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
      // ada now begins with record 22, after all other accounts with records
      tree.editAccounts(([ada, ...others]) => (ada === undefined ? [] : [...others.slice(0, 5), ada, ...others.slice(5)]));
    },
    expects: 'store-missing',
    path: 'rest/data',
    subject: 'record 10',
    also: ['store-differs', 'store-surplus'],
    ...sealed(),
  },
  {
    name: 'the last account without records is missing',
    damage: (tree) => tree.editAccounts((accounts) => accounts.slice(0, -1)),
    expects: 'store-missing',
    path: 'rest/account',
    subject: 'account zoe',
    ...sealed(),
  },
  {
    name: 'an account without records is missing before another account',
    damage: (tree) => tree.editAccounts((accounts) => accounts.filter((account) => account.screen_name !== 'aaron')),
    expects: 'store-missing',
    path: 'rest/account/page/3/index.json',
    subject: 'account aaron',
    ...sealed(),
  },
  {
    name: 'the tree is empty',
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
    name: 'the tree has an invented record',
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
    name: 'the tree has an invented account',
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
    name: 'the text of a record is changed in the whole tree',
    damage: (tree) =>
      tree.editRecord(110, (record) => Object.assign(record, { text: 'forged', diff_html: '\n<del></del><br /><ins>forged</ins>\n' })),
    expects: 'store-differs',
    path: 'rest/data/page/2/index.json',
    subject: 'record 110',
    mentions: 'forged',
    ...sealed(),
  },
  {
    name: 'the image of an account is changed',
    damage: (tree) => tree.editAccount('zoe', (account) => Object.assign(account, { profile_image_url: 'https://evil.example/' })),
    expects: 'store-differs',
    path: 'rest/account/page/3/index.json',
    subject: 'account zoe',
    mentions: 'evil',
    ...sealed(),
  },
];

function sealed(): { readonly deep: true; readonly withStore: true } {
  return { deep: true, withStore: true };
}
