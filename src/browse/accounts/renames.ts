import type { FormerHandle } from '../../contract/accounts/account-state.ts';
import { usedHandles } from '../../contract/accounts/former-handles.ts';
import { type Instant, parseInstant, timestampOf } from '../../contract/instant.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import type { NamedHandle } from '../../store/accounts/stored-accounts.ts';
import { type ByteText, byteText, type Markup, markup } from '../markup.ts';

/** A rename of an account. No source says when it happened. It is only known when a source last showed the former handle. */
export interface Rename {
  /** The id of its entry on the page of the account: `h` and the time `seen_to`. Later renames do not change it. */
  readonly id: Markup;
  /** The present handle. */
  readonly account: ByteText;
  readonly before: ByteText;
  readonly after: ByteText;
  /** The last time at which a source showed the former handle. */
  readonly seen_to: Instant;
  /**
   * The last time at which a source showed any name before the new handle. It is later than `seen_to` if a source showed a name that
   * nobody used, such as `handle.invalid`, after the former handle.
   */
  readonly others_to: Instant;
  /** Whether a source gave the account an id that a rename does not change. The id can be newer than the rename. */
  readonly hasStableId: boolean;
}

/** An account by its present handle, and a time. */
export type DatedAccount = Pick<ChangeRecord, 'account' | 'first_encountered_date'>;

/** A handle that an account had, and the last time at which a source showed any name before it; 0: no name. */
interface UsedHandle extends FormerHandle {
  readonly others_to: Instant;
}

/** The renames of all accounts with records. */
export class Renames {
  /** The handles that each account had, as byte texts. The present one comes last, if a source showed it. */
  readonly #handles = new Map<ByteText, readonly UsedHandle[]>();
  /** Those of these accounts that have a stable id. */
  readonly #withStableId = new Set<ByteText>();
  /** Those that were asked for, by account. */
  readonly #known = new Map<ByteText, readonly Rename[]>();
  #all: readonly Rename[] | undefined;

  /** @param formerHandles of each account, oldest first */
  constructor(formerHandles: readonly NamedHandle[]) {
    const ofAccount = new Map<string, NamedHandle[]>();
    for (const former of formerHandles) {
      const known = ofAccount.get(former.screen_name);
      if (known === undefined) ofAccount.set(former.screen_name, [former]);
      else known.push(former);
    }
    for (const [screen_name, former_handles] of ofAccount) {
      const stable_id = former_handles[0]?.stable_id ?? null;
      const used = usedHandles({ screen_name, stable_id, former_handles });
      if (stable_id !== null) this.#withStableId.add(byteText(screen_name));
      this.#handles.set(
        byteText(screen_name),
        used.map(({ handle, seen_to }) => ({
          handle: byteText(handle),
          seen_to,
          others_to: former_handles.findLast((other) => other.seen_to < seen_to)?.seen_to ?? 0,
        })),
      );
    }
  }

  /** Returns the handle that an account had at a time, such as that of a record. */
  handleAt({ account, first_encountered_date }: DatedAccount): ByteText {
    const handles = this.#handles.get(account);
    if (handles === undefined) return account;
    const instant = parseInstant(first_encountered_date) ?? 0;
    return handles.find(({ seen_to }) => seen_to >= instant)?.handle ?? account;
  }

  /** The renames of all accounts. */
  get all(): readonly Rename[] {
    this.#all ??= [...this.#handles.keys()].flatMap((account) => this.of(account));
    return this.#all;
  }

  /** Returns the renames of an account, by the record that is listed directly below each. @param records all of its records, newest first */
  ofAccount(account: ByteText, records: readonly ChangeRecord[]): RenamesByRecord {
    return renamesByRecord(this.of(account), records);
  }

  /** Returns the renames of an account, oldest first, always as the same objects. */
  of(account: ByteText): readonly Rename[] {
    const known = this.#known.get(account) ?? this.#renamesOf(account);
    if (known.length > 0) this.#known.set(account, known);
    return known;
  }

  #renamesOf(account: ByteText): readonly Rename[] {
    const handles = this.#handles.get(account) ?? [];
    const hasStableId = this.#withStableId.has(account);
    return handles.flatMap(({ handle: before, seen_to }, index) => {
      const next = handles[index + 1];
      if (next === undefined) return [];
      const { handle: after, others_to } = next;
      // contradicting snapshots can show several handles at one time
      const earlier = handles.slice(0, index).filter((one) => one.seen_to === seen_to).length;
      const id = earlier === 0 ? markup`h${seen_to}` : markup`h${seen_to}-${earlier + 1}`;
      return [{ id, account, before, after, seen_to, others_to: Math.max(seen_to, others_to), hasStableId }];
    });
  }
}

/** What a page or a feed of an account shows. All are newest first. */
interface ShownEntries {
  readonly records: readonly ChangeRecord[];
  readonly renames: readonly Rename[];
  /** Has the changes that this store, or one whose export it has, observed. */
  readonly observedBefore: ReadonlyMap<number, string>;
}

/**
 * Returns the oldest time at which one of the entries shows that a source saw the new handle or a later one: the rename was done by then.
 * An observed change shows it, and so does a later rename. An imported record does not say which handle the account had at its time.
 */
export function renamedBy({ others_to }: Rename, { records, renames, observedBefore }: ShownEntries): string | undefined {
  const instantOf = (record: ChangeRecord) => parseInstant(record.first_encountered_date) ?? 0;
  const record = records.findLast((each) => observedBefore.has(each.id) && instantOf(each) > others_to);
  const next = renames.findLast(({ seen_to }) => seen_to > others_to);
  if (next === undefined || (record !== undefined && instantOf(record) <= next.seen_to)) return record?.first_encountered_date;
  return timestampOf(next.seen_to);
}

/** Renames, newest first, by the id of the record below them; by {@link NO_RECORD} those that are older than all records. */
export type RenamesByRecord = ReadonlyMap<number, readonly Rename[]>;

export const NO_RECORD = -1;

/**
 * Returns renames by the id of the newest record that is not later than each. That is the record listed directly below it.
 * @param records newest first
 */
export function renamesByRecord(renames: readonly Rename[], records: readonly ChangeRecord[]): RenamesByRecord {
  const found = new Map<number, Rename[]>();
  if (renames.length === 0) return found;
  const places = records.map(({ id, first_encountered_date }) => ({ id, from: parseInstant(first_encountered_date) ?? 0 }));
  let at = 0;
  for (const rename of renames.toSorted((one, other) => other.seen_to - one.seen_to)) {
    while ((places[at]?.from ?? 0) > rename.seen_to) at += 1;
    const id = places[at]?.id ?? NO_RECORD;
    const known = found.get(id);
    if (known === undefined) found.set(id, [rename]);
    else known.push(rename);
  }
  return found;
}
