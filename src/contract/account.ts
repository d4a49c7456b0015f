import { encodeJson } from './json.ts';
import { type ChangeRecord, type DataType, parseRecord } from './record.ts';
import { at, count, handle, list, parseShape, type Shape, text, textOrNull, urlOrEmpty, Violation, wholeSecondOrNull } from './shape.ts';

/** What an account's page says of it before its records. */
export interface Identity {
  readonly screen_name: string;
  /** UTC without a fraction; null when unknown. */
  readonly account_creation_date: string | null;
  /** Absolute URL; "" when no source gave one. */
  readonly profile_image_url: string;
}

/** The current values of the profile's fields, which an account's page shows after its records. */
export interface Summary {
  readonly display_name: string;
  readonly website: string | null;
  readonly location: string;
  readonly bio: string;
}

/** An account with its change records, as docs/api.md describes it. */
export interface Account extends Identity, Summary {
  readonly data: readonly ChangeRecord[];
}

/** An account of which the records have not been looked at. */
export interface AccountOnPage extends Identity, Summary {
  readonly data: readonly unknown[];
  readonly data_page_count: number;
}

const SHAPE: Shape<AccountOnPage> = {
  screen_name: handle,
  account_creation_date: wholeSecondOrNull,
  profile_image_url: urlOrEmpty,
  data: list,
  data_page_count: count,
  display_name: text,
  website: textOrNull,
  location: text,
  bio: text,
};

/**
 * @param value a parsed JSON value
 * @param path where it stands in what was read, for the error
 * @throws Violation at the first field, of the account or of one of its records, that breaks a rule
 */
export function parseAccount(value: unknown, path = ''): Account {
  const account = parseProfile(value, path);
  return { ...account, data: account.data.map((item, index) => parseOwnRecord(item, account, at(path, `data[${index}]`))) };
}

/** Parses an account but for its records. */
export function parseProfile(value: unknown, path: string): AccountOnPage {
  return parseShape(SHAPE, value, path);
}

/** Parses a record that stands in an account. */
export function parseOwnRecord(value: unknown, account: Pick<Identity, 'screen_name'>, path: string): ChangeRecord {
  const record = parseRecord(value, path);
  if (record.account === account.screen_name) return record;
  throw new Violation(at(path, 'account'), `"${account.screen_name}", whose record it is`, encodeJson(record.account));
}

/** An identity's bytes, in the interface's order, as a JSON object. */
export function encodeIdentity(account: Identity): string {
  return encodeJson({
    screen_name: account.screen_name,
    account_creation_date: account.account_creation_date,
    profile_image_url: account.profile_image_url,
  });
}

/** A summary's bytes, in the interface's order, as a JSON object. */
export function encodeSummary(account: Summary): string {
  return encodeJson({
    display_name: account.display_name,
    website: account.website,
    location: account.location,
    bio: account.bio,
  });
}

/** The identity of an account that only its records speak of. */
export function identityOf(screenName: string): Identity {
  return { screen_name: screenName, account_creation_date: null, profile_image_url: '' };
}

/** What an account that nobody has described shows. */
export const NO_SUMMARY: Summary = { display_name: '', website: null, location: '', bio: '' };

/** A summary as it is after some changes: the newest of each field counts. */
export function changedSummary(summary: Summary, newestFirst: readonly ChangeRecord[]): Summary {
  const newest = (type: DataType) => newestFirst.find((record) => record.data_type === type);
  const website = newest('Website');
  return {
    display_name: textOf(newest('Name'), summary.display_name),
    website: website === undefined ? summary.website : website.text,
    location: textOf(newest('Location'), summary.location),
    bio: textOf(newest('Bio'), summary.bio),
  };
}

function textOf(change: ChangeRecord | undefined, before: string): string {
  return change === undefined ? before : (change.text ?? '');
}
