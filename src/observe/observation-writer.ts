import { isDeepStrictEqual } from 'node:util';
import { type Identity, identityOf } from '../contract/account.ts';
import { type Instant, timestampOf } from '../contract/instant.ts';
import { show } from '../contract/json.ts';
import { MAX_MARKUP } from '../contract/json-shape.ts';
import { PROFILE_FIELDS } from '../contract/profile-fields.ts';
import type { Observation, Profile } from '../contract/snapshots/observation.ts';
import { diffHtml } from '../diff/diff-html.ts';
import { type LinkTemplates, type Network, networkOf } from '../diff/networks.ts';
import { AccountRenames } from '../store/accounts/account-renames.ts';
import { forgetObservedValues, type KnownAccount, knownUntil, markObserved, watermarkOf } from '../store/accounts/known-account.ts';
import { ObservedAccounts } from '../store/accounts/observed-accounts.ts';
import type { Batch } from '../store/writing/batch.ts';
import { IdAllocator } from '../store/writing/id-allocator.ts';
import { type Change, changesOf, conflictsOf, type FieldConflict, fieldsIn, type LateChange } from './changes-and-conflicts.ts';
import type { Window } from './diffs-in-advance.ts';
import { AccountsOfRun } from './missing-accounts.ts';

/** The result of adding an observation. */
export interface Effect {
  readonly account: KnownAccount;
  readonly isNew: boolean;
  readonly isRenamed: boolean;
  /** Whether the account is new, or its handle, picture or creation date changed. */
  readonly isIdentified: boolean;
  /** The changes that it made. Each is now a record. */
  readonly changes: readonly Change[];
  /** The fields that contradict another observation of the same time. */
  readonly conflicts: readonly FieldConflict[];
}

/** The reason why an observation could not be added to the history. */
export interface RejectedObservation {
  readonly code: 'late' | 'bad-field';
  readonly field?: string;
  readonly expected: string;
  readonly found: string;
}

/** Adds observations to a batch as change records. */
export class ObservationWriter {
  readonly #accounts: ObservedAccounts;
  readonly #handles: AccountRenames;
  /** The account last seen with each profile, and the time until which the same profile changes nothing. */
  readonly #last = new Map<number, { readonly account: KnownAccount; readonly fields: number; readonly until: Instant }>();
  readonly #batch: Batch;
  readonly #templates: LinkTemplates;
  /** The markup of some changes that the next observations may have: see {@link Window}. */
  markup: Window['markup'] = new Map();
  readonly #ids: IdAllocator;
  readonly accountsOfRun: AccountsOfRun;

  /** @param cacheUnits the maximum size of the accounts in memory, in UTF-16 units */
  constructor(batch: Batch, templates: LinkTemplates, cacheUnits?: number) {
    this.#accounts = new ObservedAccounts(batch, cacheUnits);
    this.#handles = new AccountRenames(batch, this.#accounts);
    this.#batch = batch;
    this.#templates = templates;
    this.#ids = new IdAllocator(batch.database);
    this.accountsOfRun = new AccountsOfRun(batch.database);
  }

  /**
   * Returns the account that was last seen with this profile, if nothing has changed since.
   * @param profile a number that identifies the profile
   */
  unchanged(profile: number, instant: Instant): KnownAccount | undefined {
    const last = this.#last.get(profile);
    if (last === undefined || last.account.profile !== profile || instant >= last.until) return undefined;
    markObserved(last.account, instant, last.fields);
    last.account.isUsed = true;
    return last.account;
  }

  /**
   * Adds an observation completely, or rejects it completely.
   * @param profile a number that identifies its profile
   */
  add(observation: Observation, profile: number): Effect | RejectedObservation {
    const effect = this.#put(observation);
    if ('expected' in effect) return effect;
    const { account } = effect;
    if (account.profile !== undefined) this.#last.delete(account.profile);
    // only one of two conflicting profiles is current, so each must be compared again when it recurs
    account.profile = effect.conflicts.length === 0 && hasHandle(account, observation) ? profile : undefined;
    if (account.profile !== undefined) {
      const until = knownUntil(account, observation.observed_at);
      this.#last.set(profile, { account, fields: fieldsIn(observation.profile), until });
    }
    if (this.#accounts.isFull) this.#evict();
    return effect;
  }

  /** Writes the time until which each account has been observed. */
  finish(): void {
    this.#last.clear();
    this.#batch.guard(() => this.#accounts.flush());
  }

  #evict(): void {
    for (const { profile } of this.#batch.guard(() => this.#accounts.evict())) if (profile !== undefined) this.#last.delete(profile);
  }

  #put(observation: Observation): Effect | RejectedObservation {
    return this.#batch.guard(() => {
      const { observed_at: instant, profile } = observation;
      this.#accounts.now = instant;
      const found = this.#accounts.find(profile, observation.former_names, instant);
      if (found !== undefined) this.accountsOfRun.add(found);
      const changes = changesOf(found, profile, instant);
      if ('late' in changes) {
        return {
          code: 'late',
          expected: `snapshots of ${profile.screen_name ?? profile.id} in time order${orKnownValue(changes)}`,
          found: `${show(changes.seen)} at ${timestampOf(instant)}, older than the newest snapshot of this account in the store`,
        };
      }
      const { screen_name } = profile;
      if (found !== undefined && screen_name !== undefined && instant < watermarkOf(found) && !this.#handles.hasOrHad(found, screen_name)) {
        return {
          code: 'late',
          field: 'screen_name',
          expected: `snapshots of ${found.identity.screen_name} in time order, or a handle that it has or had in the store`,
          found: `${show(screen_name)} at ${timestampOf(instant)}, older than the newest snapshot of this account in the store`,
        };
      }
      const network = networkOf(profile, this.#templates);
      const markup: string[] = [];
      for (const change of changes) {
        const html = this.#markupOf(change, network);
        if (html.length > MAX_MARKUP) return tooLong(change);
        markup.push(html);
      }
      const conflicts = conflictsOf(found, profile, instant);
      const ids = this.#ids.allocate(instant, changes.length);
      if (ids === undefined) {
        return {
          code: 'late',
          expected: 'a free id, because ids in the feed have the same order as dates',
          found: `${timestampOf(instant)}, between records without a free id`,
        };
      }
      const name = this.#handles.nameAt(profile, instant, found);
      const account = found ?? this.#handles.add(identityIn(profile, name, identityOf(name)), profile.id);
      if (profile.id !== undefined) this.#handles.setStableId(account, profile.id);
      // an older observation does not show the current handle of the account
      const isCurrent = instant >= watermarkOf(account);
      const { identity } = account;
      const isRenamed = isCurrent && this.#identify(account, identityIn(profile, name, account.identity));
      for (const [index, { type, before, text }] of changes.entries()) {
        this.#accounts.addRecord(account, {
          id: ids[index] ?? 0,
          account: account.identity.screen_name,
          data_type: type,
          previous: before?.id ?? null,
          text,
          first_encountered_date: timestampOf(instant),
          diff_html: markup[index] ?? '',
          web_archive_url: observation.web_archive_url,
        });
      }
      if (found === undefined) this.accountsOfRun.add(account);
      markObserved(account, instant, fieldsIn(profile));
      // snapshots of one time that contradict each other do not show what the next change is from
      if (conflicts.length > 0) forgetObservedValues(account);
      const isNew = found === undefined;
      return { account, isNew, isRenamed, isIdentified: isNew || account.identity !== identity, changes, conflicts };
    });
  }

  #identify(account: KnownAccount, identity: Identity): boolean {
    return !isDeepStrictEqual(account.identity, identity) && this.#handles.setIdentity(account, identity);
  }

  #markupOf({ type, before, text }: Change, network: Network): string {
    return this.markup.get(JSON.stringify([type, before?.text, text, network])) ?? diffHtml(type, before?.text, text, network);
  }
}

function tooLong({ type }: Change): RejectedObservation {
  const expected = `a change whose difference has at most ${MAX_MARKUP} characters`;
  return { code: 'bad-field', field: PROFILE_FIELDS[type].keyInProfile, expected, found: 'a longer difference' };
}

/**
 * Whether the account still has the handle of the observation. If it has lost the handle, the next observation with this handle
 * can give it back.
 */
function hasHandle(account: KnownAccount, { observed_at, profile }: Observation): boolean {
  const { screen_name } = profile;
  return screen_name === undefined || observed_at < watermarkOf(account) || account.identity.screen_name === screen_name;
}

/** Names the value that would have been accepted as a duplicate. */
function orKnownValue({ late, known }: LateChange): string {
  return known === undefined ? '' : `, or ${late} as the store has it for that time: ${show(known)}`;
}

/** Returns the identity that a profile shows, with the given name. Values that the profile lacks stay unchanged. */
function identityIn(profile: Profile, name: string, before: Identity): Identity {
  return {
    screen_name: name,
    account_creation_date: profile.account_creation_date ?? before.account_creation_date,
    profile_image_url: profile.profile_image_url ?? before.profile_image_url,
  };
}
