import { encodeJson } from './json.ts';
import {
  at,
  count,
  handle,
  list,
  parseShape,
  type Shape,
  text,
  textOrNull,
  urlOrEmpty,
  Violation,
  wholeSecondOrNull,
} from './json-shape.ts';
import { type ChangeRecord, type DataType, parseRecord } from './record.ts';

/** The fields of an account that precede its records on a page. */
export interface Identity {
  readonly screen_name: string;
  /** UTC without a fraction; null when unknown. */
  readonly account_creation_date: string | null;
  /** Absolute URL; "" when no source gave one. */
  readonly profile_image_url: string;
}

/** The current values of the profile fields. They follow the records on a page. */
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

/** An account whose records are not checked yet. */
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

export const ACCOUNT_FIELDS: readonly string[] = Object.keys(SHAPE);

/**
 * @param value a parsed JSON value
 * @param path the path of the account in the input, for the error
 * @throws Violation at the first field of the account or of a record that breaks a rule
 */
export function parseAccount(value: unknown, path = ''): Account {
  const account = parseProfile(value, path);
  return { ...account, data: account.data.map((item, index) => parseOwnRecord(item, account, at(path, `data[${index}]`))) };
}

/** Parses an account without checking its records. */
export function parseProfile(value: unknown, path: string): AccountOnPage {
  return parseShape(SHAPE, value, path);
}

export function parseOwnRecord(value: unknown, account: Pick<Identity, 'screen_name'>, path: string): ChangeRecord {
  const record = parseRecord(value, path);
  if (record.account === account.screen_name) return record;
  throw new Violation(at(path, 'account'), `"${account.screen_name}", the account that contains the record`, encodeJson(record.account));
}

/** Encodes an identity as a JSON object, with its fields in the order of the interface. */
export function encodeIdentity({ screen_name, account_creation_date, profile_image_url }: Identity): string {
  return encodeJson({ screen_name, account_creation_date, profile_image_url });
}

/** Encodes a summary as a JSON object, with its fields in the order of the interface. */
export function encodeSummary({ display_name, website, location, bio }: Summary): string {
  return encodeJson({ display_name, website, location, bio } satisfies Summary);
}

/** Encodes an account on a page up to its first record. */
export function encodeAccountStart(account: Identity): string {
  return `${encodeIdentity(account).slice(0, -1)},"data":[`;
}

/** Encodes an account on a page after its last record. */
export function encodeAccountEnd(account: Summary, pageCount: unknown): string {
  return `],"data_page_count":${pageCount},${encodeSummary(account).slice(1)}`;
}

/** Returns the identity of an account that is known only from its records. */
export function identityOf(screenName: string): Identity {
  return { screen_name: screenName, account_creation_date: null, profile_image_url: '' };
}

/** The summary of an account without a profile from any source. */
export const NO_SUMMARY: Summary = { display_name: '', website: null, location: '', bio: '' };

type Change = Pick<ChangeRecord, 'data_type' | 'text'>;

/** Returns a summary after some changes. The newest change of each field counts. */
export function changedSummary(summary: Summary, newestFirst: readonly Change[]): Summary {
  const newest = (type: DataType) => newestFirst.find((record) => record.data_type === type);
  const website = newest('Website');
  return {
    display_name: textOf(newest('Name'), summary.display_name),
    website: website === undefined ? summary.website : website.text,
    location: textOf(newest('Location'), summary.location),
    bio: textOf(newest('Bio'), summary.bio),
  };
}

function textOf(change: Change | undefined, before: string): string {
  return change === undefined ? before : (change.text ?? '');
}
