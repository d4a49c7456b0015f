import { one } from '../damaged-tree.ts';
import { type Damage, damaged, sealed } from './damage.ts';

const LAST_PAGE = 'rest/account/page/3/index.json';

/** Damages that leave a valid tree: only a comparison with the store finds them. */
export const STORE_DAMAGES: readonly Damage[] = sealed([
  damaged(
    'build.json has the fingerprint of another store',
    ['store-fingerprint', 'build.json', undefined, `${'0'.repeat(64)}: the store does not know this state`],
    (tree) => tree.editBuild({ store: '0'.repeat(64) }),
  ),
  damaged(
    'the newest record is missing from the whole tree',
    ['store-differs', 'build.json', undefined, '60 records and 8 accounts'],
    (tree) => {
      tree.editFeed((records) => records.slice(1));
      tree.editAccount('Bob_2', ({ data }) => data.shift());
    },
  ),
  damaged(
    'the oldest record is missing from the whole tree',
    ['store-differs', 'build.json', undefined, '59 records and 8 accounts'],
    (tree) => {
      tree.editFeed((records) => records.slice(0, -1));
      tree.editAccount('ada', (account) => {
        account.data.pop();
        account['data_page_count'] = 2;
      });
      tree.editRecord(94, (record) => Object.assign(record, { previous: null }));
      // ada now begins with record 22, after all other accounts with records
      tree.editAccounts((accounts) => {
        const ada = one(accounts, ({ screen_name }) => screen_name === 'ada');
        return [...accounts.slice(1, 6), ada, ...accounts.slice(6)];
      });
    },
  ),
  damaged('the last account without records is missing', ['store-differs', 'build.json', undefined, '60 records and 7 accounts'], (tree) =>
    tree.editAccounts((accounts) => accounts.slice(0, -1)),
  ),
  damaged('the tree has an invented record', ['store-differs', 'build.json', undefined, '61 records and 8 accounts'], (tree) => {
    const diff_html = '<del style="background:#ffe6e6;">true</del><ins style="background:#e6ffe6;">false</ins>';
    const made = { id: 127, account: 'eli', data_type: 'Verified', previous: 50, text: 'false' };
    const record = { ...made, first_encountered_date: '2016-02-28T23:59:58.000058Z', diff_html, web_archive_url: null };
    tree.editFeed(([newest = record, ...others]) => [newest, record, ...others]);
    tree.editAccount('eli', (account) => Object.assign(account, { data: [record, ...account.data], data_page_count: 2 }));
  }),
  damaged('the tree has an invented account', ['store-differs', 'build.json', undefined, '60 records and 9 accounts'], (tree) =>
    tree.editAccounts((accounts) => {
      const zoe = one(accounts, ({ screen_name }) => screen_name === 'zoe');
      return [...accounts.slice(0, -1), { ...zoe, screen_name: 'bea' }, zoe];
    }),
  ),
  damaged(
    'the text of a record is changed in the whole tree',
    ['store-differs', 'rest/data/page/2/index.json', undefined, 'forged'],
    (tree) =>
      tree.editRecord(110, (record) => Object.assign(record, { text: 'forged', diff_html: '\n<del></del><br /><ins>forged</ins>\n' })),
  ),
  damaged('the image of an account is changed', ['store-differs', LAST_PAGE, undefined, 'evil'], (tree) =>
    tree.editAccount('zoe', (account) => Object.assign(account, { profile_image_url: 'https://evil.example/' })),
  ),
]).map((damage) => ({ ...damage, withStore: true }));
