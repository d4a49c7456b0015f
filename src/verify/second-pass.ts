import type { Pauses } from '../contract/event-loop-pauses.ts';
import { recordsIn, walkAccounts } from './pages/account-check.ts';
import type { Damaged } from './pages/damaged-pages.ts';
import { walkFeed } from './pages/feed-check.ts';
import { bucketOf } from './pages/multiset-hash.ts';
import type { TreeMetadata } from './pages/tree-pages.ts';
import type { UnknownPrevious } from './pages/unknown-previous.ts';
import { Report, type Rule } from './violation.ts';

/** The largest number of buckets to check again. If more differ, only these are checked record by record. */
const MAX_BUCKETS = 256;

/** The questions that the first walk through a tree could not answer in constant memory. */
export interface Unresolved {
  /** Buckets of records in which the feed and the accounts differ. */
  readonly buckets: readonly number[];
  /** Names that may belong to two accounts. */
  readonly names: ReadonlySet<string>;
  /** Records whose `previous` may be a record of another account. */
  readonly unknownPrevious: UnknownPrevious;
  /** The pages that may have the items that are missing elsewhere. */
  readonly damaged: Damaged;
}

/**
 * Walks the tree again, checks only the unresolved questions and reports the violations.
 * @param onProgress called with the number of records and accounts that were walked
 */
export async function secondPass(
  tree: TreeMetadata,
  unresolved: Unresolved,
  report: Report,
  pauses: Pauses,
  onProgress: (done: number) => void,
): Promise<void> {
  let walked = 0;
  const buckets = new Set(unresolved.buckets.slice(0, MAX_BUCKETS));
  const known = new Report();
  const feed = new Map<number, { readonly json: string; readonly path: string; readonly account: string; found: number }>();
  /** The accounts of these records: their first record there, and the page with the account. */
  const accounts = new Map<string, { first: number; path?: string }>();
  for (const { record, json, path } of walkFeed(tree, known)) {
    walked += 1;
    if (pauses.areDue) await pauses.take(() => onProgress(walked));
    unresolved.unknownPrevious.find(record, report);
    if (!buckets.has(bucketOf(record.id))) continue;
    feed.set(record.id, { json: json.toString(), path, account: record.account, found: 0 });
    // the feed is sorted by id, highest first
    accounts.set(record.account, { first: record.id });
  }
  unresolved.unknownPrevious.end(report);
  const names = new Set<string>();
  for (const { account, runs, path } of walkAccounts(tree, known)) {
    walked += 1;
    if (pauses.areDue) await pauses.take(() => onProgress(walked));
    const wanted = accounts.get(account.screen_name);
    if (wanted !== undefined) wanted.path = path;
    if (unresolved.names.has(account.screen_name)) {
      const [subject, expected, found] = [`account ${account.screen_name}`, 'one account of this name', 'another account of the same name'];
      if (names.has(account.screen_name)) report.add({ rule: 'account-twice', path, subject, expected, found });
      names.add(account.screen_name);
    }
    for (const { record, json } of recordsIn(runs)) {
      if (!buckets.has(bucketOf(record.id))) continue;
      const add = (rule: Rule, expected: string, found: string, cause?: string) =>
        report.add({ rule, path, subject: `record ${record.id}`, expected, found, cause });
      const inFeed = feed.get(record.id);
      if (inFeed === undefined) {
        add('account-data-surplus', 'the record in the feed', 'no such record', unresolved.damaged.feed.at(record.id));
        continue;
      }
      inFeed.found += 1;
      if (inFeed.found > 1) add('account-data-missing', 'the record once', 'the record again');
      else if (inFeed.json !== json.toString())
        add('account-data-differs', inFeed.json, json.toString(), report.isDamaged(inFeed.path) ? inFeed.path : path);
    }
  }
  const left = unresolved.buckets.length - buckets.size;
  if (left > 0) {
    const found = `differences in ${left} more ${left === 1 ? 'group' : 'groups'} of ids that are not checked one by one`;
    report.add({ rule: 'account-data-differs', path: 'rest/account', expected: 'the same records as in the feed', found });
  }
  for (const [id, { path, account, found }] of feed) {
    if (found !== 0) continue;
    const { first = id, path: pageOfAccount } = accounts.get(account) ?? {};
    const damaged = pageOfAccount ?? unresolved.damaged.accounts.at({ first, name: account });
    const cause = damaged !== undefined && report.isDamaged(damaged) ? damaged : path;
    const [subject, expected] = [`record ${id}`, 'the record in its account'];
    report.add({ rule: 'account-data-missing', path, subject, expected, found: 'no such record', cause });
  }
}
