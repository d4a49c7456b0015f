import type { Identity } from '../contract/account.ts';
import { type Instant, timestampOf } from '../contract/instant.ts';
import type { Observation } from '../contract/observation.ts';
import { diffHtml, type Network } from '../diff/diff-html.ts';
import { AccountResolver, identityIn } from '../store/account-resolver.ts';
import type { Batch } from '../store/batch.ts';
import { IdAllocator } from '../store/id-allocator.ts';
import { type KnownAccount, knownUntil, markObserved, watermarkOf } from '../store/known-account.ts';
import { type Change, changesOf, conflictsOf, type FieldConflict, fieldsIn, type LateChange } from './changes.ts';

/** What an observation came to. */
export interface Effect {
  readonly account: KnownAccount;
  readonly isNew: boolean;
  readonly isRenamed: boolean;
  /** The changes it made, each now a record. */
  readonly changes: readonly Change[];
  /** Where it says otherwise than another of the same moment. */
  readonly conflicts: readonly FieldConflict[];
}

/** Why an observation could not be put into the history. */
export interface RejectedObservation {
  readonly expected: string;
  readonly found: string;
}

/** Puts observations into a batch, as the change records that they make. */
export class ObservationWriter {
  readonly #accounts: AccountResolver;
  /** The accounts by the profile they were last seen with, and until when that tells nothing new. */
  readonly #last = new Map<number, { readonly account: KnownAccount; readonly fields: number; readonly until: Instant }>();
  readonly #batch: Batch;
  readonly #network: Network;
  readonly #ids: IdAllocator;

  constructor(batch: Batch, network: Network) {
    this.#accounts = new AccountResolver(batch);
    this.#batch = batch;
    this.#network = network;
    this.#ids = new IdAllocator(batch.database);
  }

  /**
   * The account that was last seen with this very profile, if nothing is known to have changed since.
   * @param profile a number that stands for the profile
   */
  unchanged(profile: number, moment: Instant): KnownAccount | undefined {
    const last = this.#last.get(profile);
    if (last === undefined || last.account.profile !== profile || moment >= last.until) return undefined;
    markObserved(last.account, moment, last.fields);
    return last.account;
  }

  /**
   * Puts an observation in: the whole of it, or nothing where it does not fit.
   * @param profile a number that stands for its profile
   */
  add(observation: Observation, profile: number): Effect | RejectedObservation {
    const effect = this.#put(observation);
    if ('expected' in effect) return effect;
    const { account } = effect;
    if (account.profile !== undefined) this.#last.delete(account.profile);
    // of two that conflict only one says what the account has from then on: seen once more, either has to be looked at
    account.profile = effect.conflicts.length === 0 && hasHandle(account, observation) ? profile : undefined;
    if (account.profile !== undefined) {
      const until = knownUntil(account, observation.observed_at);
      this.#last.set(profile, { account, fields: fieldsIn(observation.profile), until });
    }
    if (this.#accounts.isFull) this.finish();
    return effect;
  }

  /** Notes up to when each account has been observed. */
  finish(): void {
    this.#last.clear();
    this.#batch.guard(() => this.#accounts.flush());
  }

  #put(observation: Observation): Effect | RejectedObservation {
    return this.#batch.guard(() => {
      const { observed_at: moment, profile } = observation;
      const found = this.#accounts.find(profile, observation.former_names, moment);
      const changes = changesOf(found, profile, moment);
      if ('late' in changes) {
        return {
          expected: `observations of ${profile.screen_name} in the order of their time${unlessKnown(changes)}`,
          found: `${show(changes.seen)} at ${timestampOf(moment)}, before what the store already holds of this account`,
        };
      }
      const conflicts = conflictsOf(found, profile, moment);
      const ids = this.#ids.allocate(moment, changes.length);
      if (ids === undefined) {
        return {
          expected: 'a place in the feed, which falls by id and by date at once',
          found: `${timestampOf(moment)}, between records that leave no id free`,
        };
      }
      const name = this.#accounts.nameAt(profile, moment, found);
      const account = found ?? this.#accounts.add(name);
      if (profile.id !== undefined) this.#accounts.setStableId(account, profile.id);
      // an older observation does not know what the account is called today
      const isCurrent = moment >= watermarkOf(account);
      const isRenamed = isCurrent && this.#identify(account, identityIn(profile, name, account.identity));
      for (const [index, change] of changes.entries()) this.#addChange(account, change, ids[index] ?? 0, observation);
      markObserved(account, moment, fieldsIn(profile));
      return { account, isNew: found === undefined, isRenamed, changes, conflicts };
    });
  }

  #identify(account: KnownAccount, identity: Identity): boolean {
    const { screen_name, account_creation_date, profile_image_url } = account.identity;
    const isSame =
      screen_name === identity.screen_name &&
      account_creation_date === identity.account_creation_date &&
      profile_image_url === identity.profile_image_url;
    return !isSame && this.#accounts.setIdentity(account, identity);
  }

  #addChange(account: KnownAccount, { type, before, text }: Change, id: number, { observed_at, web_archive_url }: Observation): void {
    this.#accounts.addRecord(account, {
      id,
      account: account.identity.screen_name,
      data_type: type,
      previous: before?.id ?? null,
      text,
      first_encountered_date: timestampOf(observed_at),
      diff_html: diffHtml(type, before?.text, text, this.#network),
      web_archive_url,
    });
  }
}

/** False where the account has lost the handle that it was seen with: seen so once more, it may get it back. */
function hasHandle(account: KnownAccount, { observed_at, profile }: Observation): boolean {
  return observed_at < watermarkOf(account) || account.identity.screen_name === profile.screen_name;
}

/** What would have been passed over instead. */
function unlessKnown({ late, known }: LateChange): string {
  return known === undefined ? '' : `, or ${late} as it is known to have been then: ${show(known)}`;
}

function show(text: string | null): string {
  return JSON.stringify(text);
}
