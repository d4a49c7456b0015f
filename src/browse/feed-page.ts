import type { ChangeRecord } from '../contract/record.ts';
import type { ByteText } from './byte-text.ts';
import { feedChange } from './change-markup.ts';
import { fullDate } from './dates.ts';
import { fieldFilter } from './field-filter.ts';
import { number } from './numbers.ts';
import { type PageFrame, pageBytes, ROOT_2 } from './page-frame.ts';
import { type PageLinkTexts, pageHeading, pageLinks } from './page-links.ts';
import { changesPage } from './paths.ts';
import { parseRecords } from './record-text.ts';

const LINK_TEXTS: PageLinkTexts = { label: 'Pages of changes', previous: 'Newer', next: 'Older' };

/**
 * Returns a page of the feed, with the same records as the page of `/rest/data/` with that number.
 * @param json the JSON of its records, newest first, separated by commas
 */
export function feedPage(page: number, pages: number, json: Buffer): Buffer {
  const records = parseRecords(json);
  const frame: PageFrame = {
    title: page === 1 ? 'Changes' : `Changes, page ${number(page)}`,
    root: ROOT_2,
    section: 'changes',
    previous: page > 1 ? changesPage(page - 1) : undefined,
    next: page < pages ? changesPage(page + 1) : undefined,
  };
  const links = pageLinks(LINK_TEXTS, page, pages, (target) => ROOT_2 + changesPage(target));
  const list: ByteText =
    records.length === 0
      ? '<p>There are no changes yet.</p>\n'
      : `${fieldFilter(records)}<div class=changes>\n${changesByDay(records, ROOT_2)}</div>\n`;
  return pageBytes(frame, `${pageHeading('Changes', page)}${list}${links}`);
}

/** Returns the changes in a section for each day. @param root the path to the root of the tree */
export function changesByDay(records: readonly ChangeRecord[], root: string): ByteText {
  let [markup, day] = ['', ''];
  for (const record of records) {
    const date = record.first_encountered_date.slice(0, 10);
    if (date !== day) markup += `${day === '' ? '' : '</section>\n'}<section>\n<h2>${fullDate(date)}</h2>\n`;
    day = date;
    markup += feedChange(record, root);
  }
  return day === '' ? '' : `${markup}</section>\n`;
}
