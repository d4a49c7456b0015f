import type { Identity, Summary } from '../account.ts';
import { type IncompleteMirror, incompleteMirrors } from '../files/incomplete-mirror.ts';
import { type Instant, parseInstant, timestampOf } from '../instant.ts';
import { encodeJson } from '../json.ts';
import {
  at,
  count,
  handle,
  identifierOrNull,
  list,
  oneOf,
  orNothing,
  orNull,
  parseShape,
  type Rule,
  rule,
  type Shape,
  text,
  textOrNull,
  urlOrEmpty,
  wholeSecondOrNull,
} from '../json-shape.ts';
import { DATA_TYPES, type DataType } from '../record.ts';
import { type DaySpan, snapshotDays } from '../snapshots/snapshot-days.ts';
import { type ChangeInterval, changeIntervals, checksum, exactTime } from './change-interval.ts';

/** A handle that an account had before its present one. */
export interface FormerHandle {
  readonly handle: string;
  /** The last instant at which a source showed the account with this handle. */
  readonly seen_to: Instant;
}

/** The facts about an account that the store cannot derive from its records. */
export interface AccountState extends Identity {
  /** The identifier that stays when the handle changes; null: no source gave one. */
  readonly stable_id: string | null;
  /** The instant of the latest observation; null: never observed. */
  readonly observed_to: Instant | null;
  /** The fields that the snapshots of that instant had, in the order of {@link DATA_TYPES}. */
  readonly observed_fields: readonly DataType[];
  /** The checksum of the newest value of each field after that observation; undefined: unknown. */
  readonly observed_checksum?: number | undefined;
  /** Its change intervals, sorted by record; undefined: none. */
  readonly change_intervals?: readonly ChangeInterval[] | undefined;
  /** Sorted by time, then by handle. */
  readonly former_handles: readonly FormerHandle[];
  /** The profile as a source gave it. Records newer than `profile_record` change it further. */
  readonly profile: Summary;
  /** The id of the newest record that came with the profile; null: no source gave a profile. */
  readonly profile_record: number | null;
}

const stableId: Rule<string> = rule('a stable id: not empty, no control characters of ASCII, valid Unicode', handle.accepts);
const fields: Rule<readonly DataType[]> = rule(
  `an array of ${DATA_TYPES.join(', ')}, each at most once and in this order`,
  (value): value is readonly DataType[] =>
    Array.isArray(value) && JSON.stringify(value) === JSON.stringify(DATA_TYPES.filter((type) => value.includes(type))),
);
const anything: Rule<unknown> = rule('an object', (value): value is unknown => value !== undefined);

interface StateLine extends Omit<AccountState, 'observed_to' | 'former_handles' | 'profile'> {
  readonly observed_to: string | null;
  readonly former_handles: readonly unknown[];
  readonly profile: unknown;
}

const LINE: Shape<StateLine> = {
  screen_name: handle,
  stable_id: orNull(stableId),
  observed_to: orNull(exactTime),
  observed_fields: fields,
  observed_checksum: orNothing(checksum),
  change_intervals: orNothing(changeIntervals),
  former_handles: list,
  account_creation_date: wholeSecondOrNull,
  profile_image_url: urlOrEmpty,
  profile: anything,
  profile_record: identifierOrNull,
};
const PROFILE: Shape<Summary> = { display_name: text, website: textOrNull, location: text, bio: text };
const FORMER_HANDLE: Shape<{ readonly handle: string; readonly seen_to: string }> = { handle, seen_to: exactTime };

/**
 * @param value a parsed JSON value, in the form that {@link encodeAccountState} writes
 * @throws Violation at the first field that breaks its rule
 */
export function parseAccountState(value: unknown, path = ''): AccountState {
  const { stable_id, observed_to, former_handles, profile, ...rest } = parseShape(LINE, value, path);
  return {
    ...rest,
    stable_id,
    observed_to: observed_to === null ? null : (parseInstant(observed_to) ?? null),
    former_handles: former_handles.map((item, index) => parseFormerHandle(item, at(path, `former_handles[${index}]`))),
    profile: parseShape(PROFILE, profile, at(path, 'profile')),
  };
}

function parseFormerHandle(value: unknown, path: string): FormerHandle {
  const former = parseShape(FORMER_HANDLE, value, path);
  return { handle: former.handle, seen_to: parseInstant(former.seen_to) ?? 0 };
}

/** Returns the line of a state in an export: one JSON object. */
export function encodeAccountState(state: AccountState): string {
  const { display_name, website, location, bio } = state.profile;
  return encodeJson({
    screen_name: state.screen_name,
    stable_id: state.stable_id,
    observed_to: state.observed_to === null ? null : timestampOf(state.observed_to),
    observed_fields: state.observed_fields,
    observed_checksum: state.observed_checksum,
    change_intervals: state.change_intervals,
    former_handles: state.former_handles.map(({ handle, seen_to }) => ({ handle, seen_to: timestampOf(seen_to) })),
    account_creation_date: state.account_creation_date,
    profile_image_url: state.profile_image_url,
    profile: { display_name, website, location, bio } satisfies Summary,
    profile_record: state.profile_record,
  });
}

/** The value of `format` in the first line of an export. */
export const EXPORT_FORMAT = 'palimpsest-store';

/** The first line of an export. It counts the lines that follow, so that a truncated file is noticed. */
export interface ExportHeader {
  readonly format: typeof EXPORT_FORMAT;
  readonly version: 1;
  /** The reports of incomplete mirrors; undefined if there are none. */
  readonly incomplete?: readonly IncompleteMirror[] | undefined;
  /** The number of lines with exclusions, and with items that services no longer have; undefined if there are none. */
  readonly exclusions?: number | undefined;
  readonly gone?: number | undefined;
  /** The days on which the store observed snapshots; undefined if there are none. */
  readonly snapshot_days?: readonly DaySpan[] | undefined;
  readonly accounts: number;
  readonly records: number;
}

const HEADER: Shape<ExportHeader> = {
  format: oneOf(EXPORT_FORMAT),
  version: { expected: '1 (a newer palimpsest wrote this export)', accepts: (value): value is 1 => value === 1 },
  incomplete: incompleteMirrors,
  exclusions: orNothing(count),
  gone: orNothing(count),
  snapshot_days: snapshotDays,
  accounts: count,
  records: count,
};

/** @throws Violation at the first field that breaks its rule */
export function parseExportHeader(value: unknown, path = ''): ExportHeader {
  return parseShape(HEADER, value, path);
}

/** Leaves out empty parts. */
export function encodeExportHeader({
  accounts,
  records,
  exclusions = 0,
  incomplete = [],
  gone = 0,
  snapshot_days = [],
}: Omit<ExportHeader, 'format' | 'version'>): string {
  return encodeJson({
    format: EXPORT_FORMAT,
    version: 1,
    incomplete: incomplete.length === 0 ? undefined : incomplete,
    exclusions: exclusions || undefined,
    gone: gone || undefined,
    snapshot_days: snapshot_days.length === 0 ? undefined : snapshot_days,
    accounts,
    records,
  } satisfies ExportHeader);
}

export function isSameState(one: AccountState, other: AccountState): boolean {
  return encodeAccountState(one) === encodeAccountState(other);
}

/** Sorts former handles by time, then by handle, and removes duplicates. */
export function sortedHandles(handles: readonly FormerHandle[]): FormerHandle[] {
  const each = new Map(handles.map((former) => [`${former.seen_to} ${former.handle}`, former]));
  return [...each.values()].sort((a, b) => a.seen_to - b.seen_to || (a.handle < b.handle ? -1 : 1));
}

/** One account in a list of accounts. */
export interface AccountEntry {
  readonly screen_name: string;
  /** The identifier that stays when the handle changes; null: no source gave one. */
  readonly stable_id: string | null;
  /** The present display name; "" if no source gave one. */
  readonly display_name: string;
  /** Sorted by time, then by handle. */
  readonly former_handles: readonly FormerHandle[];
  readonly records: number;
  /** The times of the first and the last record, as they are published; null: no records. */
  readonly first_record_date: string | null;
  readonly last_record_date: string | null;
}
