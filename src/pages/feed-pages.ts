import type { Site } from '../contract/site.ts';
import { joined } from '../store/checksum.ts';
import type { Store } from '../store/store.ts';
import { encodePage, type Pages, pageNumbers, pagesFor } from './page.ts';

/** Returns the pages of `/rest/data/`: all change records, newest first. */
export function feedPages(store: Store, site: Site): Pages {
  const { records, feed } = store.revision;
  const count = pagesFor(records, site.page_size);
  return {
    collection: 'data',
    count,
    *walk(end) {
      const cursor = store.feed(end);
      for (const { number, items } of pageNumbers(records, site.page_size, end)) {
        const { json, first, last } = cursor.take(items);
        const { crc, bytes } = cursor.checksum;
        const range = items === 0 ? undefined : { first, last };
        const render = () => encodePage(site, 'data', records, number, count, [json]);
        yield { number, revision: feed, range, render, read: () => [crc, bytes] };
      }
    },
    check: (first, last) => store.checkFeed(joined({ crc: first[0], bytes: first[1] }, { crc: last[0], bytes: last[1] })),
  };
}
