import type { Site } from '../contract/site.ts';
import type { PageSource } from '../store/page-source.ts';
import { encodePage, type Pages, pageNumbers, pagesFor } from './page.ts';

/** Returns the pages of `/rest/account/`: accounts in the order of their first records, each with all its records. */
export function accountPages(source: PageSource, site: Site): Pages {
  const { accounts, ranking } = source.revision;
  const count = pagesFor(accounts, site.account_page_size);
  return {
    collection: 'account',
    count,
    *walk(end) {
      const cursor = source.accounts(end);
      for (const { number, items } of pageNumbers(accounts, site.account_page_size, end)) {
        const run = cursor.take(items);
        yield {
          number,
          revision: Math.max(ranking, run.revision),
          render: () => encodePage(site, 'account', accounts, number, count, [run.read(site.page_size)]),
          read: () => [cursor.taken.accounts, cursor.taken.sum],
        };
      }
    },
    check: (first, last) => source.checkAccounts({ accounts: first[0] + last[0], sum: first[1] + last[1] }),
  };
}
