import { encodeJson } from './json.ts';
import { type ChangeRecord, parseRecord } from './record.ts';
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

/** An account with its change records, as the interface has it (2.4). */
export interface Account extends Identity, Summary {
  readonly data: readonly ChangeRecord[];
}

interface AccountOnPage extends Identity, Summary {
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
  const account = parseShape(SHAPE, value, path);
  const data = account.data.map((item, index) => {
    const place = at(path, `data[${index}]`);
    const record = parseRecord(item, place);
    if (record.account !== account.screen_name) {
      throw new Violation(at(place, 'account'), `"${account.screen_name}", whose record it is`, encodeJson(record.account));
    }
    return record;
  });
  return { ...account, data };
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

/** The summary of an account that only its records speak of: the newest value of each field. */
export function summaryOf(newestFirst: readonly ChangeRecord[]): Summary {
  const newest = (type: string) => newestFirst.find((record) => record.data_type === type);
  return {
    display_name: newest('Name')?.text ?? '',
    website: newest('Website')?.text ?? null,
    location: newest('Location')?.text ?? '',
    bio: newest('Bio')?.text ?? '',
  };
}
