import type { Site } from '../contract/site.ts';
import { joined } from '../store/checksum.ts';
import type { PageSource } from '../store/page-source.ts';
import { encodePage, type Pages, pageNumbers, pagesFor } from './page.ts';

/** Returns the pages of `/rest/data/`: all change records, newest first. */
export function feedPages(source: PageSource, site: Site): Pages {
  const { records, feed } = source.revision;
  const count = pagesFor(records, site.page_size);
  return {
    collection: 'data',
    count,
    *walk(end) {
      const cursor = source.feed(end);
      for (const { number, items } of pageNumbers(records, site.page_size, end)) {
        const { json, first, last } = cursor.take(items);
        const { crc, bytes } = cursor.checksum;
        const range = items === 0 ? undefined : { first, last };
        const render = () => encodePage(site, 'data', records, number, count, [json]);
        yield { number, revision: feed, range, render, read: () => [crc, bytes] };
      }
    },
    check: (first, last) => source.checkFeed(joined({ crc: first[0], bytes: first[1] }, { crc: last[0], bytes: last[1] })),
  };
}
