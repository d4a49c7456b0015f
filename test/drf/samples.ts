import fc from 'fast-check';
import type { Account } from '../../src/contract/account.ts';
import { FIRST_ID_WITHOUT_ROOM } from '../../src/contract/generated-id.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';
import { type History, histories } from '../support/histories.ts';

// by default, fast-check makes no array longer than ten, even with a larger maxLength
fc.configureGlobal({ ...fc.readConfigureGlobal(), baseSize: 'xlarge' });

/** Names that UTF-16, UTF-8 and a dictionary sort in different orders. */
const NAMES = ['zoe', 'Zoe', 'é', 'e\u0301', '\uffee', '\u{1F600}', ' ', '"\\', '\u2028', '<&>', '_', '10', '9'];

export const EMPTY: History = { records: [], accounts: [] };

/** A history with fewer records than a usual page. */
export const SMALL: History = sample(40, (records) => records >= 20);

/** A history with more records than two of the largest pages. */
export const LARGE: History = sample(400, (records) => records > 250);

/** A history with ids, dates and names at the limits of their ranges. */
export const EXTREME: History = extreme();

/** Returns a generated history with many accounts without records. All texts are valid Unicode, because Django requires it. */
function sample(maxLength: number, isWanted: (records: number) => boolean): History {
  const found = fc.sample(histories(maxLength), { seed: 1, numRuns: 10 }).find(({ records }) => isWanted(records.length));
  if (found === undefined) throw new Error(`no generated history of up to ${maxLength} records has a suitable number of records`);
  const records = found.records.map(wellFormedRecord);
  const accounts = found.accounts.map((account) => wellFormed({ ...account, data: account.data.map(wellFormedRecord) }));
  return { records, accounts: [...accounts, ...silentAccounts(accounts)] };
}

function wellFormedRecord(record: ChangeRecord): ChangeRecord {
  return { ...record, text: record.text?.toWellFormed() ?? null, diff_html: record.diff_html.toWellFormed() };
}

function wellFormed(account: Account): Account {
  return {
    ...account,
    display_name: account.display_name.toWellFormed(),
    website: account.website?.toWellFormed() ?? null,
    location: account.location.toWellFormed(),
    bio: account.bio.toWellFormed(),
  };
}

function silentAccounts(others: readonly Account[]): Account[] {
  const taken = new Set(others.map((account) => account.screen_name));
  return NAMES.filter((name) => !taken.has(name)).map((name) => accountOf(name, null, []));
}

function accountOf(name: string, created: string | null, data: readonly ChangeRecord[]): Account {
  return {
    screen_name: name,
    account_creation_date: created,
    profile_image_url: '',
    data,
    display_name: name,
    website: null,
    location: '',
    bio: '\u0000\u001f\u007f\u2028\u2029\ufeff\uffff\u{10ffff}',
  };
}

function extreme(): History {
  const name = '\u2028"\\<\u{10ffff}';
  const record = (id: number, date: string): ChangeRecord => ({
    id,
    account: name,
    data_type: 'Bio',
    previous: id === 0 ? FIRST_ID_WITHOUT_ROOM - 1 : null,
    text: '\u0000'.repeat(3),
    first_encountered_date: date,
    diff_html: ' \n\u2029',
    web_archive_url: 'data:,\u2028',
  });
  const records = [
    record(FIRST_ID_WITHOUT_ROOM - 1, '9999-12-31T23:59:59.999999Z'),
    record(FIRST_ID_WITHOUT_ROOM - 2, '2024-02-29T23:59:59Z'),
    record(2, '1969-12-31T23:59:59.000001Z'),
    record(1, '0001-01-01T00:00:00.100000Z'),
    record(0, '0001-01-01T00:00:00Z'),
  ];
  return { records, accounts: [accountOf(name, '0001-01-01T00:00:00Z', records), accountOf('other', '9999-12-31T23:59:59Z', [])] };
}
