import type { Site } from '../contract/site.ts';
import type { AccountCursor } from '../store/accounts/account-cursor.ts';
import type { PageSource } from '../store/feed/page-source.ts';
import { encodePage, itemsOn, type Pages, pagesFor } from './page.ts';

/** Returns the pages of `/rest/account/`: accounts in the order of their first records, each with all its records. */
export function accountPages(source: PageSource, site: Site): Pages {
  const { accounts, ranking } = source.revision;
  const size = site.account_page_size;
  const count = pagesFor(accounts, size);
  let cursor: AccountCursor | undefined;
  /** The page that the cursor has reached. */
  let next = 1;
  return {
    collection: 'account',
    count,
    *walk({ from, to }) {
      if (cursor === undefined || from < next) [cursor, next] = [source.accounts(), 1];
      cursor.skip((from - next) * size);
      for (next = from; next <= to; next += 1) {
        const number = next;
        const run = cursor.take(itemsOn(number, accounts, size));
        yield {
          number,
          revision: Math.max(ranking, run.revision),
          render: () => encodePage(site, 'account', accounts, number, count, run.read(site.page_size)),
        };
      }
      return [cursor.taken.accounts, cursor.taken.sum];
    },
    check: (read) => {
      const [taken, sum] = read.reduce(([all, whole], [accounts, part]) => [all + accounts, whole + part], [0, 0]);
      source.checkAccounts({ accounts: taken, sum });
    },
  };
}
