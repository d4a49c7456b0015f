import { encodeJson } from './json.ts';
import {
  at,
  handle,
  identifier,
  identifierOrNull,
  oneOf,
  parseShape,
  type Shape,
  text,
  textOrNull,
  timestamp,
  urlOrEmptyOrNull,
  Violation,
} from './json-shape.ts';

export const DATA_TYPES = ['Location', 'Bio', 'Name', 'Website', 'Verified'] as const;

export type DataType = (typeof DATA_TYPES)[number];

/** One change of one profile field of one account, as docs/api.md describes it. */
export interface ChangeRecord {
  readonly id: number;
  /** The screen name of the account. */
  readonly account: string;
  readonly data_type: DataType;
  /** The id of the preceding record of the same account and field; null for the first. */
  readonly previous: number | null;
  /** The new value; "" when emptied, null when removed. */
  readonly text: string | null;
  /** UTC, with six digits of a second or without a fraction. The text of the source is kept unchanged. */
  readonly first_encountered_date: string;
  readonly diff_html: string;
  readonly web_archive_url: string | null;
}

const SHAPE: Shape<ChangeRecord> = {
  id: identifier,
  account: handle,
  data_type: oneOf(...DATA_TYPES),
  previous: identifierOrNull,
  text: textOrNull,
  first_encountered_date: timestamp,
  diff_html: text,
  web_archive_url: urlOrEmptyOrNull,
};

/**
 * @param path the path of the record in the input, for the error
 * @throws Violation at the first field that breaks a rule of the interface
 */
export function parseRecord(value: unknown, path = ''): ChangeRecord {
  const record = parseShape(SHAPE, value, path);
  if (record.data_type === 'Verified' && record.text !== 'true' && record.text !== 'false') {
    throw new Violation(at(path, 'text'), '"true" or "false" for Verified', encodeJson(record.text));
  }
  if (record.previous === record.id) {
    throw new Violation(at(path, 'previous'), 'the id of an earlier record', 'the id of the record itself');
  }
  return record;
}

/** Encodes a record as on a page, with its fields in the order of the interface. */
export function encodeRecord(record: ChangeRecord): string {
  const { id, account, data_type, previous, text, first_encountered_date, diff_html, web_archive_url } = record;
  return encodeJson({ id, account, data_type, previous, text, first_encountered_date, diff_html, web_archive_url });
}

/** What to do if the store already has a record or profile with other content. */
export const CONFLICT_POLICIES = ['fail', 'keep', 'replace'] as const;

export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];
