import { NO_SUMMARY } from '../../contract/account.ts';
import { FIELDS_IN_ORDER, PROFILE_FIELDS } from '../../contract/profile-fields.ts';

/** The fields of a record that are read from its JSON. */
const RECORD_FIELDS = ['data_type', 'previous', 'text', 'first_encountered_date', 'diff_html', 'web_archive_url'];

/** The published profile of an account: the one in `history` includes the changes after the profile of the source. */
const PROFILE = "ifnull('{' || substr(tail, 2), summary)";
const IN_SUMMARY = Object.keys(NO_SUMMARY).map((key) => `${PROFILE} ->> '${key}' AS ${key}`);
/** The other fields of a profile, which only their records have. */
const IN_RECORDS = FIELDS_IN_ORDER.flatMap((type) => {
  const { keyInProfile, keyInSummary, difference } = PROFILE_FIELDS[type];
  if (keyInSummary !== undefined) return [];
  return `(SELECT json ->> 'text'${difference === 'boolean' ? " = 'true'" : ''} FROM record WHERE record.account = account.id AND json ->> 'data_type' = '${type}'
        ORDER BY record.id DESC LIMIT 1) AS ${keyInProfile}`;
});
/** Formats microseconds since 1970 as new records have them. */
const TIME = (column: string) => `strftime('%Y-%m-%dT%H:%M:%S', ${column} / 1000000, 'unixepoch') || printf('.%06dZ', ${column} % 1000000)`;

/** Returns when a mirror found that the service no longer has a record; NULL if a mirrored service has it. */
export function goneAt(id: string): string {
  const have = (table: string) =>
    `${table}.mirror IN (SELECT mirror.id FROM mirror) AND ${table}.collection = 'data' AND ${table}.key = ${id}`;
  return `(SELECT min(gone.gone_at) FROM mirror_gone AS gone WHERE ${have('gone')}
    AND NOT EXISTS (SELECT 1 FROM mirror_item AS item WHERE ${have('item')}))`;
}

/** The views for other programs. They use only functions of plain SQLite. */
export const CREATE_VIEWS: string = `
  CREATE VIEW records AS
    SELECT record.id AS id, screen_name AS account, ${RECORD_FIELDS.map((field) => `json ->> '${field}' AS ${field}`).join(', ')}, ${goneAt('+record.id')} AS gone_at
    FROM record JOIN account ON account.id = record.account;

  CREATE VIEW accounts AS
    SELECT screen_name, stable_id,
      ${[...IN_SUMMARY, ...IN_RECORDS].join(',\n      ')},
      identity ->> 'profile_image_url' AS profile_image_url,
      identity ->> 'account_creation_date' AS account_creation_date,
      (SELECT json_group_array(json_object('handle', handle, 'seen_to', ${TIME('seen_to')}))
        FROM (SELECT handle, seen_to FROM former_handle WHERE former_handle.account = account.id
          ORDER BY seen_to, handle COLLATE BINARY LIMIT -1)) AS former_handles,
      ifnull(records, 0) AS records,
      (SELECT json ->> 'first_encountered_date' FROM record WHERE record.id = account.first_record) AS first_record_date,
      (SELECT json ->> 'first_encountered_date' FROM record WHERE record.account = account.id ORDER BY record.id DESC LIMIT 1) AS last_record_date,
      ${TIME('observed_to')} AS observed_to
    FROM account LEFT JOIN history ON history.first_record = account.first_record;
`;
