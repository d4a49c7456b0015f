import type { Collection } from '../contract/pages/collection.ts';
import type { Site } from '../contract/site.ts';
import type { AccountCursor } from '../store/accounts/account-cursor.ts';
import { joined, NOTHING } from '../store/check/checksum.ts';
import type { FeedCursor } from '../store/feed/feed-cursor.ts';
import type { PageSource } from '../store/page-source.ts';
import { encodePage, itemsOn, type Pages, pagesFor, SPAN_PAGES } from './pagination.ts';

/** Returns the pages of both collections that a build writes. */
export function collectionPages(source: PageSource, site: Site): { readonly [C in Collection]: Pages } {
  return { data: feedPages(source, site), account: accountPages(source, site) };
}

/** Returns the pages of `/rest/data/`: all change records, newest first. */
function feedPages(source: PageSource, site: Site): Pages {
  const { records, feed } = source.revision;
  const size = site.page_size;
  const count = pagesFor(records, size);
  let cursor: FeedCursor | undefined;
  let starts: readonly number[] = [];
  return {
    *walk({ index, from, to }) {
      if (cursor === undefined) {
        cursor = source.feed();
        starts = source.feedStarts(SPAN_PAGES * size);
      }
      cursor.moveTo(starts[index] ?? 0);
      for (let number = from; number <= to; number += 1) {
        const items = itemsOn(number, records, size);
        const { json, first, last } = cursor.take(items);
        const range = items === 0 ? undefined : { first, last };
        yield { number, revision: feed, range, render: () => encodePage(site, 'data', records, number, count, [json]) };
      }
      return [cursor.checksum.crc, cursor.checksum.bytes];
    },
    check: (read) => source.checkFeed(read.reduce((before, [crc, bytes]) => joined(before, { crc, bytes }), NOTHING)),
  };
}

/** Returns the pages of `/rest/account/`: accounts in the order of their first records, each with all its records. */
function accountPages(source: PageSource, site: Site): Pages {
  const { accounts, ranking } = source.revision;
  const size = site.account_page_size;
  const count = pagesFor(accounts, size);
  let cursor: AccountCursor | undefined;
  /** The page that the cursor has reached. */
  let next = 1;
  return {
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
