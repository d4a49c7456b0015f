import { DATA_TYPES } from '../../contract/record.ts';
import { NO_RECORD } from '../check/checksum.ts';
import { CREATE_CHANGE_TRIGGERS } from './change-triggers.ts';
import { CREATE_VIEWS } from './views.ts';

const UTC = "'[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]";
const DIGITS = '[0-9]'.repeat(6);

/** The index for the records of an account. A batch into an empty store creates it at the end, because that is faster. */
export const RECORD_ACCOUNT = 'CREATE INDEX record_account ON record (account, id);';

/**
 * The index for accounts in their order, with all that the lists of the HTML pages read of each account, and the index of their display
 * names. Such a batch creates them at the end too, because each account gets its place and its columns for lists then.
 */
export const DERIVED_INDEXES = `CREATE INDEX IF NOT EXISTS account_order
  ON account (place, screen_name, revision, digest, checksum, last_seen, listed_name, listed_records, listed_changes, listed_checksum);
CREATE INDEX IF NOT EXISTS account_name ON account (listed_name COLLATE NOCASE, screen_name COLLATE NOCASE, screen_name);`;

/** The number of records in each part of a history. */
export const PART_RECORDS = 500;

/** The version of the schema. Every change of the schema gets a new one: a store of another version is refused. */
export const SCHEMA_VERSION = 21;

/**
 * The schema of a store.
 *
 * `record` and `account` contain the imported data. The JSON of a record is stored as it is published, so that its
 * bytes cannot change between import and output. The column `account` has the row number of the account that the JSON names: it is
 * for searches, because an index of a field of the JSON would parse each record.
 *
 * `history`, `history_part` and the columns marked as derived are computed from them. A batch marks the accounts that it changes as
 * stale, and materializing derives them again. A change by another program (such as sqlite3) deletes the revisions, and
 * materializing then derives everything. If only former handles change, their accounts become stale.
 *
 * `history` contains each account in the form and the order of the account pages. Without it, every build would collect
 * the records of each account from the whole feed, and would take 2.3 times as long.
 * It has the newest records of an account. If there are more than {@link PART_RECORDS}, the older ones are in `history_part`.
 * Parts are counted from the oldest record, so a newer record never changes them.
 *
 * Every read compares the data with the checksums, so that a damaged store is not published. All are CRC-32.
 */
export const SCHEMA: string = `
  CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    screen_name TEXT NOT NULL UNIQUE CHECK (screen_name <> ''),
    -- the identifier that stays when the handle changes; null: no source gave one
    stable_id TEXT,
    -- the time of the latest observation, in microseconds since 1970; null: never observed
    observed_to INTEGER,
    -- the fields in the snapshots of that time: one bit for each, by its position in DATA_TYPES
    observed_fields INTEGER NOT NULL DEFAULT 0,
    -- CRC-32 of the newest values of all fields after that observation; null: unknown. As -1 - CRC-32, it must be compared with the
    -- newest values: the account changed since. Other values did not come from an observation
    observed_checksum INTEGER,
    -- the newest record that came with identity and summary; null: no source gave them
    known_to INTEGER,
    identity TEXT NOT NULL,
    summary TEXT NOT NULL,
    first_record INTEGER, -- derived; null: no records
    revision INTEGER, -- derived: in which it last changed; null: stale
    digest BLOB, -- derived: SHA-256 of the account as JSON and of change_intervals. Instead of the parts in history_part it has the digest of the newest
    checksum INTEGER, -- derived: of the account as JSON without data_page_count, plus records
    -- derived: observed_to, if it is more than 10 days before the newest of the store; -1: seen lately; null: never observed
    last_seen INTEGER,
    -- derived, for lists: the display name, the number of records, and of those that name a previous one
    listed_name TEXT NOT NULL DEFAULT '',
    listed_records INTEGER NOT NULL DEFAULT 0,
    listed_changes INTEGER NOT NULL DEFAULT 0,
    listed_checksum INTEGER, -- derived: of screen_name and the three columns before
    -- JSON: the change intervals, see ChangeInterval; null: none
    change_intervals TEXT,
    intervals_checksum INTEGER, -- of change_intervals, when they were written
    place INTEGER GENERATED ALWAYS AS (ifnull(first_record, ${NO_RECORD})) VIRTUAL,
    CHECK (json_valid(identity) AND json_valid(summary) AND json_valid(ifnull(change_intervals, '[]'))),
    CHECK (identity ->> 'screen_name' IS screen_name),
    CHECK (json_type(identity, '$.account_creation_date') IS 'null'
      OR identity ->> 'account_creation_date' GLOB ${UTC}Z'),
    CHECK (json_type(identity, '$.profile_image_url') IS 'text'),
    CHECK (json_type(summary, '$.display_name') IS 'text' AND json_type(summary, '$.location') IS 'text'
      AND json_type(summary, '$.bio') IS 'text' AND ifnull(json_type(summary, '$.website'), '') IN ('text', 'null'))
  ) STRICT;

  -- former handles of accounts, and when each account was last seen with it, in microseconds since 1970
  CREATE TABLE former_handle (
    handle TEXT NOT NULL COLLATE NOCASE,
    seen_to INTEGER NOT NULL,
    account INTEGER NOT NULL REFERENCES account (id),
    PRIMARY KEY (handle, seen_to, account)
  ) STRICT, WITHOUT ROWID;

  -- the days on which snapshots were observed: JSON (see DaySpan) and its CRC-32. The table has one row, or none
  CREATE TABLE snapshot_days (id INTEGER PRIMARY KEY CHECK (id = 1), spans TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;

  CREATE TABLE record (
    id INTEGER PRIMARY KEY CHECK (id BETWEEN 0 AND 9007199254740991),
    account INTEGER NOT NULL REFERENCES account (id),
    checksum INTEGER, -- of json, when it was written
    json TEXT NOT NULL CHECK (json_valid(json)),
    CHECK (json ->> 'id' IS id),
    CHECK (ifnull(json ->> 'data_type', '') IN (${DATA_TYPES.map((type) => `'${type}'`).join(', ')})),
    CHECK (ifnull(json_type(json, '$.previous'), '') IN ('integer', 'null') AND json ->> 'previous' IS NOT id),
    CHECK (ifnull(json_type(json, '$.text'), '') IN ('text', 'null')),
    CHECK (json ->> 'data_type' <> 'Verified' OR ifnull(json ->> 'text', '') IN ('true', 'false')),
    CHECK (ifnull(json ->> 'first_encountered_date', '') GLOB ${UTC}Z'
      OR ifnull(json ->> 'first_encountered_date', '') GLOB ${UTC}.${DIGITS}Z'),
    CHECK (json_type(json, '$.diff_html') IS 'text'),
    CHECK (ifnull(json_type(json, '$.web_archive_url'), '') IN ('text', 'null'))
  ) STRICT;

  CREATE TABLE history (
    first_record INTEGER PRIMARY KEY,
    records INTEGER NOT NULL,
    head TEXT NOT NULL, -- the account's JSON up to the last of the newest records: identity and records, newest first
    tail TEXT NOT NULL -- its JSON after the data_page_count: the summary
  ) STRICT;

  -- the older records of an account with many
  CREATE TABLE history_part (
    first_record INTEGER NOT NULL,
    number INTEGER NOT NULL, -- from 0
    newest INTEGER NOT NULL, -- the newest record
    older TEXT NOT NULL, -- JSON: what the next part needs of all records up to the end of this one, such as their SHA-256
    checksum INTEGER NOT NULL, -- of the columns before
    json TEXT NOT NULL, -- the records of the part, newest first, each with a comma before it
    PRIMARY KEY (first_record, number)
  ) STRICT;

  -- derived: the records from first_id up to the next block, newest first, each with a comma behind it
  CREATE TABLE feed_block (
    first_id INTEGER PRIMARY KEY,
    records INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    checksum INTEGER, -- null: to be derived
    days TEXT NOT NULL DEFAULT '', -- their dates and fields, see record-dates.ts
    days_checksum INTEGER NOT NULL DEFAULT 0 -- of days
  ) STRICT;
  INSERT INTO feed_block (first_id, records, bytes) VALUES (0, 0, 0);

  CREATE TABLE revision (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    fingerprint TEXT NOT NULL, -- SHA-256 of each account's digest and last_seen in order, and of all former handles with stable ids
    records INTEGER NOT NULL,
    accounts INTEGER NOT NULL,
    feed INTEGER NOT NULL, -- the revision in which a record last changed
    ranking INTEGER NOT NULL, -- the revision in which accounts or their order last changed
    ranking_sum INTEGER NOT NULL DEFAULT 0, -- over all accounts in order
    checksum INTEGER -- of the rest of the row
  ) STRICT;

  -- accounts that were removed and must not come back: no names, only hashes and numbers
  CREATE TABLE exclusion (
    id INTEGER PRIMARY KEY,
    excluded_at TEXT NOT NULL CHECK (excluded_at GLOB ${UTC}Z'),
    -- whether the bytes that the removal freed are erased from the file
    is_erased INTEGER NOT NULL CHECK (is_erased IN (0, 1))
  ) STRICT;

  -- the handles and stable ids of each exclusion, as SHA-256 in hexadecimal digits
  CREATE TABLE exclusion_key (
    kind TEXT NOT NULL CHECK (kind IN ('handle', 'stable_id')),
    hash TEXT NOT NULL CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
    exclusion INTEGER NOT NULL REFERENCES exclusion (id) ON DELETE CASCADE,
    PRIMARY KEY (kind, hash, exclusion)
  ) STRICT, WITHOUT ROWID;

  -- the ids of removed records that a service gave
  CREATE TABLE exclusion_record (
    record INTEGER PRIMARY KEY CHECK (record BETWEEN 0 AND 9007199254740991),
    exclusion INTEGER NOT NULL REFERENCES exclusion (id) ON DELETE CASCADE
  ) STRICT;

  -- services that palimpsest mirror has read, or that an export names
  CREATE TABLE mirror (
    id INTEGER PRIMARY KEY,
    base_url TEXT NOT NULL UNIQUE,
    run TEXT, -- names the last run whose pages are in the store; null: none, and an export said which items are gone
    watermark INTEGER, -- every record of the service up to this id has been read; null: not known of any
    -- by how much the service's count exceeds the items that it shows
    data_excess INTEGER NOT NULL,
    account_excess INTEGER NOT NULL,
    build TEXT, -- the build.json of the tree that was read in full; null: no tree, or not in full
    manifest BLOB, -- its manifest
    complete_at TEXT CHECK (complete_at GLOB ${UTC}Z') -- when the last complete run ended; null: none was complete
  ) STRICT;

  -- what has been read from each service: records by id, accounts by screen name
  CREATE TABLE mirror_item (
    mirror INTEGER NOT NULL REFERENCES mirror (id),
    collection TEXT NOT NULL,
    key ANY NOT NULL,
    PRIMARY KEY (mirror, collection, key)
  ) STRICT, WITHOUT ROWID;

  -- the items that each service has shown and no longer has, and when a run first found that
  CREATE TABLE mirror_gone (
    mirror INTEGER NOT NULL REFERENCES mirror (id),
    collection TEXT NOT NULL,
    key ANY NOT NULL,
    gone_at TEXT NOT NULL CHECK (gone_at GLOB ${UTC}Z'),
    PRIMARY KEY (mirror, collection, key)
  ) STRICT, WITHOUT ROWID;

  -- the services of which this store lacks items, or cannot prove that it has all: reports in JSON
  CREATE TABLE incomplete_mirror (
    base_url TEXT PRIMARY KEY,
    report TEXT NOT NULL CHECK (json_valid(report))
  ) STRICT, WITHOUT ROWID;

  -- which items of a service were rejected: the SHA-256 of each version
  CREATE TABLE mirror_rejected (
    mirror INTEGER NOT NULL REFERENCES mirror (id),
    version TEXT NOT NULL,
    PRIMARY KEY (mirror, version)
  ) STRICT, WITHOUT ROWID;

  -- the contents of pages that had an ETag, for when the service answers 304
  CREATE TABLE mirror_page (
    mirror INTEGER NOT NULL REFERENCES mirror (id),
    collection TEXT NOT NULL,
    page INTEGER NOT NULL,
    etag TEXT NOT NULL,
    contents TEXT NOT NULL,
    PRIMARY KEY (mirror, collection, page)
  ) STRICT, WITHOUT ROWID;

  -- what this store published as versions: to each target the newest commit, and the removals that are done there
  CREATE TABLE published_target (
    target TEXT PRIMARY KEY,
    newest BLOB, -- null: nothing was published yet
    removals TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(removals)) -- SHA-256 of each exclusion
  ) STRICT;

  CREATE UNIQUE INDEX account_stable_id ON account (stable_id) WHERE stable_id IS NOT NULL;
  CREATE INDEX account_handle ON account (screen_name COLLATE NOCASE);
  CREATE INDEX account_stale ON account (id) WHERE revision IS NULL;
  ${DERIVED_INDEXES}
  ${RECORD_ACCOUNT}
  CREATE INDEX former_handle_account ON former_handle (account);
  CREATE INDEX feed_block_stale ON feed_block (first_id) WHERE checksum IS NULL;
  CREATE INDEX exclusion_record_exclusion ON exclusion_record (exclusion);

  ${CREATE_CHANGE_TRIGGERS}

  -- docs/sql.md promises the columns of these views to other programs
  ${CREATE_VIEWS}
`;
