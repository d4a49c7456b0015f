import { dateOf, parseInstant } from '../contract/instant.ts';
import type { ChangeRecord } from '../contract/record.ts';
import type { Site } from '../contract/site.ts';
import type { FeedCursor } from '../store/feed/feed-cursor.ts';
import type { Store } from '../store/store.ts';
import type { RecordFacts, RecordLookup } from './accounts/record-lookup.ts';
import { NO_RECORD, type Rename, type RenamesByRecord, renamesByRecord } from './accounts/renames.ts';
import { ARCHIVE_PAGES, feedBytes, newestArchive } from './atom.ts';
import { dayOf, entriesOf, feedEntry, feedRenameEntry } from './change-list.ts';
import { dateMarkup, fullDate } from './dates.ts';
import { recordFilter } from './filter/record-filter.ts';
import { byteText, joined, type Markup, markup, numberMarkup, parseRecords, trusted } from './markup.ts';
import { type Page, pageOf, ROOT_2, type UnframedFile } from './page-frame.ts';
import { PAGES_IN_PART, type RenderedState } from './parts.ts';
import { changesArchive, changesPage, NEWEST_CHANGES } from './paths.ts';

/**
 * The pages of all changes, and an archive feed for each two of them. They are counted from the oldest record, so a new record
 * changes only the newest pages. It holds a time for each page, and all renames.
 */
export class ChangesPages {
  readonly #store: Store;
  readonly #site: Site;
  readonly #lookup: RecordLookup;
  readonly #times: string[] = [];
  #timeOfRun: ((page: number) => string) | undefined;
  #renames: ReadonlyMap<number, readonly Rename[]> | undefined;

  constructor(store: Store, site: Site, lookup: RecordLookup) {
    this.#store = store;
    this.#site = site;
    this.#lookup = lookup;
  }

  get count(): number {
    return pagesOf(this.#store.revision.records, this.#site);
  }

  /** Yields the files of a part, from the newest page to the oldest. */
  *files(part: number, rendered: RenderedState): Generator<UnframedFile> {
    const { records, feed } = this.#store.revision;
    const [size, pages] = [this.#site.page_size, this.count];
    const last = Math.min(pages, (part + 1) * PAGES_IN_PART);
    // a page is final when two pages follow it
    const before = feed <= rendered.revision ? pages + 2 : pagesOf(rendered.records, this.#site);
    let cursor: FeedCursor | undefined;
    let newer: () => readonly ChangeRecord[] = () => [];
    for (let page = last; page > part * PAGES_IN_PART; page -= 1) {
      let known: readonly ChangeRecord[] | undefined;
      const read = () => {
        cursor ??= this.#store.feed(Math.max(0, records - page * size));
        known ??= parseRecords(cursor.take(Math.min(size, records - (page - 1) * size)).json);
        return known;
      };
      yield { path: changesPage(page), render: page <= before - 2 ? undefined : () => [this.#page(page, read())] };
      const archive = page + ARCHIVE_PAGES - 1;
      if (page % ARCHIVE_PAGES === 0) newer = read;
      else if (archive <= newestArchive(pages)) {
        const bytes = (all: readonly ChangeRecord[]) => {
          const contents = { records: all, renames: this.#lookup.renamesBefore(all) };
          return feedBytes(this.#site, newestArchive(pages), archive, contents, this.#lookup);
        };
        yield {
          path: changesArchive(archive),
          render: archive <= newestArchive(before) ? undefined : () => [bytes([...newer(), ...read()])],
        };
      }
    }
  }

  /** Returns links to pages from a number on: see {@link olderLinks}. */
  links(newest: number, root: '' | typeof ROOT_2): Markup | '' {
    return olderLinks(
      newest,
      (page) => markup`<a href="${root}${changesPage(page)}">${numberMarkup(page)} <small>${dateMarkup(this.#timeOf(page))}</small></a>`,
    );
  }

  /** Returns the time of the first record of a page. */
  #timeOf(page: number): string {
    this.#timeOfRun ??= this.#store.timesOfRuns(this.#site.page_size);
    this.#times[page] ??= this.#timeOfRun(page);
    return this.#times[page];
  }

  #page(page: number, records: readonly ChangeRecord[]): Page {
    const { count } = this;
    const newer = page < count ? changesPage(page + 1) : undefined;
    // ids need not follow the times
    const days = [...new Set(records.map(dayOf))].sort();
    const [first = '', last = ''] = [days[0], days.at(-1)];
    const span = days.length === 1 ? fullDate(first) : markup`${fullDate(first)} to ${fullDate(last)}`;
    const renames = renamesByRecord(this.#renamesOn(page), records);
    const links = markup`<nav class=pages aria-label="Newer changes"><a href="${ROOT_2}${NEWEST_CHANGES}">Newest</a>${newer === undefined ? '' : markup` <a href="${ROOT_2}${newer}" rel=prev>Newer</a>`}</nav>\n`;
    return pageOf(
      {
        title: `Changes and first values, page ${numberMarkup(page)}`,
        root: ROOT_2,
        section: 'changes',
        previous: newer,
        next: page > 1 ? changesPage(page - 1) : undefined,
      },
      markup`<h1>Changes and first values <small>page ${numberMarkup(page)}, ${span}</small></h1>
${recordFilter(records)}<div class=changes>\n${entriesByDay(records, ROOT_2, this.#lookup, renames)}</div>\n${links}${this.links(page - 1, ROOT_2)}`,
    );
  }

  /** Returns the renames from the first record of a page on, up to that of the next page. */
  #renamesOn(page: number): readonly Rename[] {
    if (this.#lookup.renames.all.length === 0) return [];
    const times = () => Array.from({ length: this.count }, (_, index) => this.#timeOf(index + 1));
    this.#renames ??= renamesByPage(this.#lookup.renames.all, times());
    return this.#renames.get(page) ?? [];
  }
}

/** The number of pages of all changes. A store without records has none. */
function pagesOf(records: number, { page_size }: Site): number {
  return Math.ceil(records / page_size);
}

/** Returns the number of records in the feed of all changes: those that no archive has, and at least those of a page. */
export function recordsInFeed(records: number, site: Site): number {
  return Math.max(site.page_size, records - newestArchive(pagesOf(records, site)) * site.page_size);
}

/** @param times of the first record of each page. Records can be out of order: then a page begins at the latest time so far. */
function renamesByPage(renames: readonly Rename[], times: readonly string[]): ReadonlyMap<number, readonly Rename[]> {
  const pages = new Map<number, Rename[]>();
  let latest = Number.NEGATIVE_INFINITY;
  const starts = times.map((time) => {
    latest = Math.max(latest, parseInstant(time) ?? 0);
    return latest;
  });
  let page = 1;
  for (const rename of renames.toSorted((one, other) => one.seen_to - other.seen_to)) {
    while ((starts[page] ?? Number.POSITIVE_INFINITY) <= rename.seen_to) page += 1;
    const known = pages.get(page);
    if (known === undefined) pages.set(page, [rename]);
    else known.push(rename);
  }
  return pages;
}

/** Returns the entries in a section for each day. @param root the path to the root of the tree */
export function entriesByDay(
  records: readonly ChangeRecord[],
  root: '' | typeof ROOT_2,
  facts: RecordFacts,
  renames: RenamesByRecord,
): Markup {
  const parts: Markup[] = [];
  let day = '';
  const add = (date: string, entry: Markup) => {
    if (date !== day) parts.push(markup`${day === '' ? '' : '</section>\n'}<section>\n<h2>${fullDate(date)}</h2>\n`);
    day = date;
    parts.push(entry);
  };
  const addRenames = (record: number) => {
    for (const rename of renames.get(record) ?? []) add(dateOf(rename.seen_to), feedRenameEntry(rename, root));
  };
  for (const entry of entriesOf(records)) {
    for (const { id } of entry) addRenames(id);
    add(dayOf(entry[0]), feedEntry(entry, root, facts));
  }
  addRenames(NO_RECORD);
  return day === '' ? markup`` : markup`${joined(parts)}</section>\n`;
}

const GAP = markup`<span class=gap>${trusted(byteText('…'))}</span>\n`;

/**
 * Returns links to numbered pages, which are counted from the oldest: some of the newest ones, the first one, and some between.
 * The steps between them grow, so every page is a few links away.
 * @param newest the number of the newest page to link; 0: there is none
 */
export function olderLinks(newest: number, linkTo: (page: number) => Markup): Markup | '' {
  if (newest === 0) return '';
  const linked = [newest, newest - 1, newest - 2];
  for (let step = 5; step < newest; step *= 3) linked.push(newest - step);
  const pages = [...new Set([...linked, 1])].filter((page) => page > 0);
  const links = pages.map((page, index) => ((pages[index - 1] ?? page) - page > 1 ? markup`${GAP}${linkTo(page)}` : linkTo(page)));
  return markup`<nav class=pages aria-label="Older changes"><span class=gap>Older changes</span>${joined(links, '\n')}</nav>\n`;
}
