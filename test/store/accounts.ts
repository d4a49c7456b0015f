import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { identityOf } from '../../src/contract/account.ts';
import { parseInstant } from '../../src/contract/instant.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';
import type { Profile } from '../../src/contract/snapshots/observation.ts';
import { AccountRenames } from '../../src/store/accounts/account-renames.ts';
import { type KnownAccount, markObserved } from '../../src/store/accounts/known-account.ts';
import { ObservedAccounts } from '../../src/store/accounts/observed-accounts.ts';
import { Batch } from '../../src/store/writing/batch.ts';
import { temporaryFolder } from '../support/folder.ts';

/** Returns an instant on a day of January 2020. */
export const day = (number: number) => parseInstant(`2020-01-${String(number).padStart(2, '0')}T00:00:00Z`) ?? 0;

const UNKNOWN = {
  display_name: undefined,
  bio: undefined,
  location: undefined,
  website: undefined,
  verified: undefined,
  profile_image_url: undefined,
  account_creation_date: undefined,
};

export const profile = (screen_name: string, id?: string): Profile => ({ ...UNKNOWN, screen_name, id });

export function bioOf(account: string, id: number): ChangeRecord {
  const first_encountered_date = '2020-01-01T00:00:00Z';
  return { id, account, data_type: 'Bio', previous: null, text: 'a', first_encountered_date, diff_html: '', web_archive_url: null };
}

/** A batch on an empty store, which is rolled back when the test ends. */
export function emptyBatch(): Batch {
  const batch = new Batch(join(temporaryFolder(), 'store.db'), 'by account');
  onTestFinished(() => batch.end());
  return batch;
}

/** The accounts of a batch, as `observe` finds and writes them. */
export class Accounts {
  readonly observed: ObservedAccounts;
  readonly handles: AccountRenames;

  /** @param units the size of the cache */
  constructor(batch: Batch, units?: number) {
    this.observed = new ObservedAccounts(batch, units);
    this.handles = new AccountRenames(batch, this.observed);
  }

  /** Adds an account that was last observed on a day. */
  add(name: string, observed: number, id?: string): KnownAccount {
    const account = this.handles.add(identityOf(name), id);
    markObserved(account, day(observed), 0);
    return account;
  }
}
