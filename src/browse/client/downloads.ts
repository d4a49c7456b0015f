import { loadSite, publicAddress } from './citation.ts';
import type { CitedSite } from './citation-formats.ts';
import { dayOf, element, fieldOf, handleIn, intervalStart, isRename, shownChanges, textOf, timeOf, valueIn } from './page-elements.ts';

/** A record or a rename that the page of an account shows. */
interface Row {
  /** The id of the record; '' for a rename. */
  readonly id: string;
  /** The handle that the account had at that time: that of a rename is the former one. */
  readonly handle: string;
  readonly data_type: string;
  /** The day on which a source first showed the value, in UTC. Null for a rename: no source says when it happened. */
  readonly date: string | null;
  /** The time of the day, in UTC. Null for a first value, too: those of one day stand together under the time of the first. */
  readonly time: string | null;
  /** When a source last showed the value or the handle before, in UTC. Null if that is not known. */
  readonly after_date: string | null;
  readonly after_time: string | null;
  /** Null for a first value. */
  readonly before: string | null;
  readonly text: string;
  readonly permalink: string;
}

/** Adds the data of the page of an account as JSON and CSV, without the records that a filter hides. */
export function addDownloads(): void {
  const place = document.querySelector('.downloads');
  if (place === null) return;
  const button = (format: string, type: string, write: (rows: readonly Row[]) => string) => {
    const made = element('button', { type: 'button' }, format);
    const name = `${document.title.split(/[ ,]/)[0]}.${format.toLowerCase()}`;
    made.addEventListener('click', async () => save(name, type, write(rowsShown(await loadSite()))));
    return made;
  };
  const json = button('JSON', 'application/json', (rows) => JSON.stringify(rows, undefined, 2));
  const csv = button('CSV', 'text/csv', csvOf);
  const hasOthers = document.querySelector('nav[aria-label="Older changes"], nav[aria-label="Newer changes"]') !== null;
  place.firstChild?.replaceWith(`Download the shown entries${hasOthers ? ' of this page, without those of other pages' : ''}: `, json, csv);
}

function rowsShown(site: CitedSite): readonly Row[] {
  return shownChanges().map((change) => {
    const before = change.matches(':has(div + div)') ? valueIn(change.querySelector('div')) : null;
    const [isRenamed, isFirst] = [isRename(change), change.matches('.F')];
    const handle = isRenamed ? before : handleIn(change);
    const after = intervalStart(change)?.dateTime;
    return {
      id: isRenamed ? '' : change.id.slice(1),
      handle: handle?.replace(/^@/, '') ?? '',
      data_type: fieldOf(change),
      date: isRenamed ? null : dayOf(change),
      time: isRenamed || isFirst ? null : (timeOf(change)?.dateTime.slice(11, 19) ?? null),
      after_date: after?.slice(0, 10) ?? null,
      after_time: after?.slice(11, 19) ?? null,
      before,
      text: textOf(change),
      permalink: publicAddress(site.base_url, change.querySelector<HTMLAnchorElement>('h4 + a')?.href ?? ''),
    };
  });
}

function csvOf(rows: readonly Row[]): string {
  const columns = ['id', 'handle', 'data_type', 'date', 'time', 'after_date', 'after_time', 'before', 'text', 'permalink'];
  const lines = [columns, ...rows.map((row) => Object.values(row).map(safeCell))];
  return lines.map((cells) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join()}\r\n`).join('');
}

/** Marks what a spreadsheet would run as a formula or round, with an apostrophe as `export csv` does. */
function safeCell(value: string | null): string {
  const text = value ?? '';
  return /^(?:['\t\r]|[\s\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]|\d{16,}$)/u.test(text) ? `'${text}` : text;
}

function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
