import { type Account, encodeAccountEnd, encodeAccountStart, type Identity, parseAccount } from '../../contract/account.ts';
import { isObject, show } from '../../contract/json.ts';
import { hasWebScheme } from '../../contract/json-shape.ts';
import { ACCOUNT_END_PATTERN, ACCOUNT_START_PATTERN, RECORD_PATTERN } from '../../contract/pages/json-patterns.ts';
import { type ChangeRecord, type DataType, encodeRecord } from '../../contract/record.ts';
import type { Report } from '../violation.ts';
import { checkChange } from './diff-check.ts';
import type { ComparedRecord } from './feed-check.ts';
import type { AccountInParts, RecordJson } from './large-page.ts';
import { type FoundPage, parsedItems, type TreeMetadata, type WalkOptions, walkPages } from './tree-pages.ts';
import { reportPrevious, type UnknownPrevious } from './unknown-previous.ts';

/** An account of the tree. One of a large page has its records in several runs, of which memory holds one at a time. */
export interface FoundAccount extends Pick<AccountInParts, 'runs' | 'json'> {
  readonly account: Identity;
  readonly place: AccountPlace;
  readonly path: string;
}

/** An account that was compared with the bytes of its page. */
interface ComparedAccount {
  readonly account: Account;
  readonly records: readonly ComparedRecord[];
  /** The JSON before the first record, and after the last one. */
  readonly start: () => Buffer;
  readonly end: () => Buffer;
}

/** Walks the accounts, and checks each against its rules. */
export function* walkAccounts(
  tree: TreeMetadata,
  report: Report,
  { range, damaged, unknownPrevious }: WalkOptions = {},
): Generator<FoundAccount, void> {
  let before: AccountPlace | undefined;
  for (const page of walkPages(tree, 'account', report, range)) {
    damaged?.accounts.begin(page.path, report.isDamaged(page.path));
    for (const found of page.inParts === undefined
      ? parsedAccounts(page, tree, report)
      : accountsInParts(page.inParts, page, tree, report)) {
      const { place } = found;
      damaged?.accounts.read(place);
      checkOrder(place, before, found.path, report);
      checkUrls(found, report);
      checkData(found, unknownPrevious, report);
      before = place;
      yield found;
    }
  }
}

function* parsedAccounts(page: FoundPage, tree: TreeMetadata, report: Report): Generator<FoundAccount> {
  const compared = (item: unknown, index: number) => comparedAccount(page, item, index, tree.build.page_size, report);
  const accounts = [...parsedItems(page, 'account-field', report, compared)];
  if (accounts.length === page.items.length)
    page.expectItems(() => accounts.map((compared) => Buffer.concat([...foundAccount(compared, page.path).json()])));
  for (const compared of accounts) yield foundAccount(compared, page.path);
}

function accountsInParts(
  accounts: readonly AccountInParts[],
  { path }: FoundPage,
  { build }: TreeMetadata,
  report: Report,
): FoundAccount[] {
  return accounts.map(({ account, records, first, runs, json }) => {
    checkPageCount(account, records, build.page_size, account.data_page_count, path, report);
    return { account, place: { first, name: account.screen_name }, runs, json, path };
  });
}

function checkPageCount({ screen_name }: Identity, records: number, pageSize: number, stated: unknown, path: string, report: Report): void {
  const pages = Math.ceil(records / pageSize);
  if (stated === pages) return;
  report.add({ rule: 'account-data-count', path, subject: `account ${screen_name}`, expected: String(pages), found: show(stated) });
}

function comparedAccount({ path, comparison }: FoundPage, item: unknown, index: number, pageSize: number, report: Report): ComparedAccount {
  const account = parseAccount(item, `results[${index}]`);
  comparison.expectComma(index);
  const start = comparison.next(ACCOUNT_START_PATTERN, () => encodeAccountStart(account));
  const records = account.data.map((record, position) => {
    comparison.expectComma(position);
    return { record, json: comparison.next(RECORD_PATTERN, () => encodeRecord(record)) };
  });
  const stated = isObject(item) ? item['data_page_count'] : undefined;
  checkPageCount(account, records.length, pageSize, stated, path, report);
  const end = comparison.next(ACCOUNT_END_PATTERN, () => encodeAccountEnd(account, stated));
  return { account, start, records, end };
}

/** Returns an account with its JSON, after its whole page was compared. */
function foundAccount({ account, start, records: compared, end }: ComparedAccount, path: string): FoundAccount {
  const records = compared.map(({ record, json }) => ({ record, json: json() }));
  const json = () => [Buffer.from(`${start()}${records.map((record) => record.json).join(',')}${end()}`)];
  return { account, place: placeOf(account), runs: [() => records], json, path };
}

export function checkOrder({ first, name }: AccountPlace, before: AccountPlace | undefined, path: string, report: Report): void {
  if (before === undefined || comparePlaces(before, { first, name }) < 0) return;
  report.add({
    rule: 'account-order',
    path,
    subject: `account ${name}`,
    expected: `a place before ${before.name}`,
    found: `a place after ${before.name}`,
  });
}

function checkUrls({ account, runs, path }: FoundAccount, report: Report): void {
  const check = (subject: string, field: string, url: string | null) => {
    if (url === null || url === '' || hasWebScheme(url)) return;
    report.add({ rule: 'url-scheme', path, subject, expected: `${field}: http or https, without control characters`, found: show(url) });
  };
  check(`account ${account.screen_name}`, 'profile_image_url', account.profile_image_url);
  for (const { record } of recordsIn(runs)) check(`record ${record.id}`, 'web_archive_url', record.web_archive_url);
}

/** Checks the records of an account. An account has all its records, so the right value of `previous` follows from it alone. */
function checkData({ runs, path }: FoundAccount, unknownPrevious: UnknownPrevious | undefined, report: Report): void {
  let types: ReadonlyMap<number, DataType> | undefined;
  const older = new Map<string, ChangeRecord>();
  for (const run of runs.toReversed()) {
    for (const { record } of run().toReversed()) {
      const { id, previous, data_type } = record;
      const before = older.get(data_type);
      const expected = before?.id ?? null;
      if (previous !== expected) {
        types ??= typesIn(runs);
        const type = previous === null ? data_type : types.get(previous);
        const found = { record, path };
        if ((previous ?? 0) > id || (type ?? data_type) !== data_type) reportPrevious(found, show(expected), show(previous), report);
        else if (type === undefined) unknownPrevious?.add(record, path, report);
        // the records between were imported after the record was made
        else report.add({ rule: 'record-predecessor', path, subject: `record ${id}`, expected: show(expected), found: show(previous) });
      }
      // if previous is wrong, it is unknown against which text the difference was made
      checkChange(record, previous === expected ? before : 'unknown', path, report);
      older.set(data_type, record);
    }
  }
  let last: number | undefined;
  for (const { record } of recordsIn(runs)) {
    const { id } = record;
    if (last !== undefined && id >= last)
      report.add({ rule: 'account-data-order', path, subject: `record ${id}`, expected: `an id below ${last}`, found: String(id) });
    last = id;
  }
}

function typesIn(runs: FoundAccount['runs']): Map<number, DataType> {
  const types = new Map<number, DataType>();
  for (const { record } of recordsIn(runs)) types.set(record.id, record.data_type);
  return types;
}

/** Yields the records of an account, newest first. */
export function* recordsIn(runs: FoundAccount['runs']): Generator<RecordJson> {
  for (const run of runs) yield* run();
}

/** What the accounts are sorted by. */
export interface AccountPlace {
  /** The id of the first record; infinite for an account without records. */
  readonly first: number;
  readonly name: string;
}

function placeOf({ data, screen_name }: Account): AccountPlace {
  return { first: data.reduce((first, record) => Math.min(first, record.id), Number.POSITIVE_INFINITY), name: screen_name };
}

/** Compares accounts in the order of the collection: by first record, then accounts without records by the bytes of their names. */
export function comparePlaces(a: AccountPlace, b: AccountPlace): number {
  return a.first === b.first ? Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) : a.first < b.first ? -1 : 1;
}
