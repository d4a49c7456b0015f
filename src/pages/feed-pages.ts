import type { Site } from '../contract/site.ts';
import { joined, NOTHING } from '../store/check/checksum.ts';
import type { FeedCursor } from '../store/feed/feed-cursor.ts';
import type { PageSource } from '../store/feed/page-source.ts';
import { encodePage, itemsOn, type Pages, pagesFor, SPAN_PAGES } from './page.ts';

/** Returns the pages of `/rest/data/`: all change records, newest first. */
export function feedPages(source: PageSource, site: Site): Pages {
  const { records, feed } = source.revision;
  const size = site.page_size;
  const count = pagesFor(records, size);
  let cursor: FeedCursor | undefined;
  let starts: readonly number[] = [];
  return {
    collection: 'data',
    count,
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
