import type { Identity, Summary } from '../contract/account.ts';
import type { AccountEntry } from '../contract/account-entry.ts';
import { type FormerHandle, sortedHandles } from '../contract/account-state.ts';
import type { Instant } from '../contract/instant.ts';
import { accountChecksum } from './account-checksum.ts';
import type { Connection } from './connection.ts';
import { damaged, storedJson } from './damaged.ts';

/** An account with its published profile, and what the store knows about it beyond the pages. */
export interface PublishedAccount extends AccountEntry, Identity, Summary {
  /** The value of the newest Verified record; null: no such record. */
  readonly verified: boolean | null;
  /** The instant of the latest observation; null: never observed. */
  readonly observed_to: Instant | null;
}

interface Row {
  readonly id: number;
  readonly screen_name: string;
  readonly stable_id: string | null;
  readonly identity: string;
  readonly summary: string;
  readonly observed_to: Instant | null;
  readonly checksum: number | null;
  /** The account in the form of the account pages; null: no records. */
  readonly head: Buffer | null;
  readonly tail: string | null;
  readonly changes: number;
  readonly first_change: string | null;
  readonly last_change: string | null;
  readonly verified: string | null;
}

/** The number of handles that one query reads. */
const BATCH_SIZE = 1000;

/**
 * Yields every account, sorted by screen name. Memory holds one account at a time.
 * @throws Failure bad-store if an account does not match its checksum
 */
export function* publishedAccounts(database: Connection): Generator<PublishedAccount> {
  const formerHandles = database.prepare<[number], FormerHandle>('SELECT handle, seen_to FROM former_handle WHERE account = ?');
  const account = database.prepare<[string], Row>(`
    SELECT account.id, screen_name, stable_id, identity, summary, observed_to, checksum, CAST(head AS BLOB) AS head, tail,
      ifnull(records, 0) AS changes,
      (SELECT first_encountered_date FROM record WHERE record.id = account.first_record) AS first_change,
      (SELECT first_encountered_date FROM record WHERE record.account = screen_name ORDER BY record.id DESC LIMIT 1) AS last_change,
      (SELECT text FROM record WHERE record.account = screen_name AND data_type = 'Verified' ORDER BY record.id DESC LIMIT 1) AS verified
    FROM account LEFT JOIN history ON history.first_record = account.first_record WHERE screen_name = ?`);
  const next = database
    .prepare<[string, number], string>('SELECT screen_name FROM account WHERE screen_name > ? ORDER BY screen_name LIMIT +?')
    .pluck();
  for (let names = next.all('', BATCH_SIZE); names.length > 0; names = next.all(names.at(-1) ?? '', BATCH_SIZE)) {
    for (const name of names) {
      const row = account.get(name);
      if (row !== undefined) yield published(database.path, row, formerHandles.all(row.id));
    }
  }
}

function published(path: string, row: Row, formerHandles: readonly FormerHandle[]): PublishedAccount {
  const { screen_name, stable_id, identity, summary, observed_to, changes, first_change, last_change, verified } = row;
  const head = row.head ?? Buffer.from(`${identity.slice(0, -1)},"data":[]`);
  const tail = row.tail ?? `,${summary.slice(1)}`;
  if (accountChecksum(head, tail, changes) !== row.checksum) throw damaged(path, `the account ${screen_name} does not match its checksum`);
  const profile: Summary = storedJson(path, `the profile of ${screen_name}`, `{${tail.slice(1)}`);
  const { account_creation_date, profile_image_url }: Identity = storedJson(path, `the account ${screen_name}`, identity);
  return {
    screen_name,
    stable_id,
    display_name: profile.display_name,
    website: profile.website,
    location: profile.location,
    bio: profile.bio,
    verified: verified === null ? null : verified === 'true',
    profile_image_url,
    account_creation_date,
    former_handles: sortedHandles(formerHandles),
    changes,
    first_change,
    last_change,
    observed_to,
  };
}
