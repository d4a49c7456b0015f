import { foundRecords } from '../../store/feed/block-days.ts';
import type { FeedRange } from '../../store/feed/feed-days.ts';
import type { Store } from '../../store/store.ts';
import { type ByteText, encode, escapeText, joined, type Markup, markup, numberMarkup, parseByteJson } from '../byte-text.ts';
import type { Month } from '../months.ts';
import { ROOT_2 } from '../page-frame.ts';
import { accountPage } from '../paths.ts';

/** The number of accounts in the list of a month. */
const MOST = 10;
/** The number of records that are read at once. */
const BATCH_SIZE = 250;

/** An account, and the number of its changes in a month. */
interface AccountChanges {
  readonly handle: ByteText;
  readonly changes: number;
}

/** Returns a table of the accounts with the most changes in a month. Reads the records of the month, and holds a number for each account. */
export function mostChangesTable(store: Store, month: Month): Markup | '' {
  if (month.changes === 0) return '';
  const rows = largest(changesByAccount(store, month)).map(
    ({ handle, changes }) =>
      markup`<tr><td><a href="${ROOT_2}${accountPage(handle)}"><bdi>@${escapeText(handle)}</bdi></a><td class=n>${numberMarkup(changes)}\n`,
  );
  return markup`<h2>Accounts with the most changes</h2>\n<table class=accounts><thead><tr><th scope=col>Account<th scope=col class=n>Changes</thead><tbody>\n${joined(rows)}</tbody></table>\n`;
}

/** Returns the numbers of changes by handle. A handle is as in JSON. */
function changesByAccount(store: Store, { month, days }: Month): ReadonlyMap<ByteText, number> {
  const counts = new Map<ByteText, number>();
  for (const { start, end } of merged(days.flatMap(({ ranges }) => ranges))) {
    const cursor = store.feed(start);
    for (let left = end - start; left > 0; left -= BATCH_SIZE) {
      for (const { account, isFirst, date } of foundRecords(cursor.take(Math.min(BATCH_SIZE, left)).json)) {
        if (isFirst || !date.startsWith(month)) continue;
        const known = counts.get(account);
        // a part of a string keeps the whole string in memory
        counts.set(known === undefined ? encode(account).toString('latin1') : account, (known ?? 0) + 1);
      }
    }
  }
  return counts;
}

/** Joins ranges that overlap or touch. */
function merged(ranges: readonly FeedRange[]): readonly FeedRange[] {
  const all: { readonly start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = all.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

/** Returns the largest counts, the largest first, and equal ones by handle. */
function largest(counts: ReadonlyMap<ByteText, number>): readonly AccountChanges[] {
  const least = Uint32Array.from(counts.values()).sort().at(-MOST) ?? 0;
  return Array.from(counts)
    .filter(([, changes]) => changes >= least)
    .map(([json, changes]) => ({ handle: parseByteJson(`"${json}"`), changes }))
    .sort((one, other) => other.changes - one.changes || (one.handle < other.handle ? -1 : 1))
    .slice(0, MOST);
}
