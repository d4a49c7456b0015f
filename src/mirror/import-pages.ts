import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { type OnProgress, Pauses } from '../contract/event-loop-pauses.ts';
import { encodeJson } from '../contract/json.ts';
import type { PerCollection } from '../contract/pages/collection.ts';
import type { ConflictPolicy } from '../contract/record.ts';
import { type Conflicting, conflictError } from '../import/conflict-list.ts';
import { itemsOf } from '../sources/items/items.ts';
import { withoutRemoved } from '../sources/rejects/redact-removed.ts';
import { rejection } from '../sources/rejects/rejection.ts';
import type { InputError, Item } from '../sources/source.ts';
import { type ItemKey, incompleteMirrors, MirrorState } from '../store/mirror-state.ts';
import { Batch, type CommitPhase } from '../store/writing/batch.ts';
import { ItemWriter } from '../store/writing/item-writer.ts';
import { NO_ITEMS, type Outcome, type Tally, withdraw } from '../store/writing/outcome.ts';
import { deleteGone, lowerKnownTo } from './delete-from-store.ts';
import { KEPT } from './retrying-client.ts';
import { type FinishedRun, saveMirrorState } from './save-mirror-state.ts';
import { areTwoAccounts, variantOf, withoutNewest } from './service-page.ts';
import type { PageSpool, SpooledPage } from './spool/page-spool.ts';

/** The phases of the import. `import` counts pages. */
export type ImportPagesPhase = 'import' | CommitPhase;

export interface ImportPagesOptions extends Omit<FinishedRun, 'incomplete'> {
  readonly baseUrl: string;
  /** Whether the run read everything, also what earlier runs had read. */
  readonly isAllRead: boolean;
  /** Returns what the store lacks, if so many items were rejected; undefined if it has everything that the service has. */
  readonly incomplete: (rejected: number) => FinishedRun['incomplete'];
  readonly onConflict: ConflictPolicy;
  /** Called once with each rejected item. */
  readonly onReject: (inputError: InputError) => void;
  /** Called once just before the commit. If it throws, nothing is imported. */
  readonly beforeCommit?: (() => Promise<void>) | undefined;
  /** How many items that the service no longer has may be deleted from the store; undefined to delete none. */
  readonly mayDelete: number | undefined;
  /** Stops the import: the store is unchanged, and the pages stay in the spool. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnProgress<ImportPagesPhase> | undefined;
}

export interface ImportedPages {
  readonly records: Tally;
  readonly accounts: Tally;
  readonly rejected: number;
  /** The items of the service that this run and earlier ones rejected, since a run read everything. */
  readonly rejectedInAll: number;
  /** Ids of records that the store had in another version. */
  readonly changed: readonly number[];
  /** The items that the service no longer has, according to this run and earlier ones. */
  readonly removed: PerCollection<readonly ItemKey[]>;
  readonly deleted: { readonly records: number; readonly accounts: number };
  /** When the last complete run ended, in UTC: this one or an earlier one; null if none was complete. */
  readonly completeAt: string | null;
  /** Whether the report of what the store lacks changed. */
  readonly areReportsChanged: boolean;
}

/**
 * Imports the pages of a finished run and the new state of the service in one batch: either everything goes into the
 * store, or nothing does.
 * @throws Failure conflict, too-many-deletes
 */
export async function importPages(store: string, spool: PageSpool, options: ImportPagesOptions): Promise<ImportedPages> {
  const pauses = new Pauses(options.signal, KEPT);
  const batch = new Batch(store, 'by id');
  try {
    const importer = new PageImporter(batch, options);
    const all = spool.pageCount;
    let pages = 0;
    for (const page of spool.pages()) {
      await importer.add(page);
      pages += 1;
      options.onProgress?.('import', pages, all);
      if (pauses.areDue) await pauses.take();
    }
    importer.finish();
    const reports = incompleteMirrors(batch.database);
    const before = reports.find(({ base_url }) => base_url === options.baseUrl)?.rejected ?? 0;
    const { shown, rejected } = importer;
    const rejectedInAll = options.isAllRead ? shown.size : Math.max(shown.size, before + rejected.size);
    const incomplete = options.incomplete(rejectedInAll);
    const memory = saveMirrorState(importer.memory, spool, batch.exclusions, { ...options, incomplete });
    const areReportsChanged = !isDeepStrictEqual(incompleteMirrors(batch.database), reports);
    for (const version of rejected) memory.addRejected(version);
    batch.markMetadataChanged();
    const removed = { data: memory.gone('data'), account: memory.gone('account') };
    const deleted = options.mayDelete === undefined ? { records: 0, accounts: 0 } : deleteGone(batch, memory, options.mayDelete);
    await options.beforeCommit?.();
    await batch.commit(pauses, options.onProgress);
    const { completeAt } = memory;
    return { ...importer.result, rejectedInAll, removed, deleted, completeAt, areReportsChanged };
  } finally {
    batch.end();
  }
}

class PageImporter {
  /** The state of the service before the run. */
  readonly memory: MirrorState;
  /** The SHA-256 of each version of an item that this run is the first to reject. */
  readonly rejected = new Set<string>();
  /** The SHA-256 of each version of an item that this run showed and that this or an earlier run rejected. */
  readonly shown = new Set<string>();
  readonly #options: ImportPagesOptions;
  readonly #writer: ItemWriter;
  readonly #batch: Batch;
  readonly #records = { ...NO_ITEMS };
  readonly #accounts = { ...NO_ITEMS };
  readonly #changed: number[] = [];
  /** The records that the service no longer has. */
  readonly #gone: ReadonlySet<ItemKey>;
  /** By screen name, the text that distinguishes an imported account from another with that name. */
  readonly #variants = new Map<string, string>();

  constructor(batch: Batch, options: ImportPagesOptions) {
    this.memory = new MirrorState(batch.database, options.baseUrl);
    this.#batch = batch;
    this.#options = options;
    this.#writer = new ItemWriter(batch, options.onConflict, true);
    this.#gone = new Set([...this.memory.gone('data'), ...options.gone.data]);
    lowerKnownTo(batch, this.#gone);
  }

  get result(): Omit<ImportedPages, 'rejectedInAll' | 'removed' | 'deleted' | 'completeAt' | 'areReportsChanged'> {
    return { records: this.#records, accounts: this.#accounts, rejected: this.rejected.size, changed: this.#changed };
  }

  /** Deletes imported accounts of which a later record showed that they are excluded. */
  finish(): void {
    const { records, accounts } = this.#writer.withdrawExcluded();
    withdraw(this.#records, records);
    withdraw(this.#accounts, accounts);
  }

  async add({ url, body }: SpooledPage): Promise<void> {
    if (body === null) return;
    const json = gunzipSync(body);
    const start = json.indexOf('{') + 1;
    // with a line break after the first brace, each item is parsed alone, so a broken item is rejected without its page
    const open = async function* () {
      yield* [json.subarray(0, start), Buffer.from('\n'), json.subarray(start)];
    };
    for await (const items of itemsOf({ name: url, size: undefined, open })) for (const item of items) this.#addItem(item);
  }

  #addItem(item: Item): void {
    if (item.kind === 'error') {
      const shown = withoutRemoved(withoutLine(item), this.#batch.exclusions);
      if (shown === undefined) this.#records.excluded += 1;
      else this.#reject(item.item === undefined ? item : item.item, shown);
    } else if (item.kind === 'state') {
      this.#reject(item.state, accountLine(item));
    } else if (item.kind === 'account') {
      this.#addAccount(item);
    } else if (item.kind === 'record') {
      const outcome = this.#writer.addRecord(item.record, item.json);
      if (outcome === 'replaced') this.#changed.push(item.record.id);
      this.#count(this.#records, outcome, item);
    }
  }

  #addAccount(item: Item & { readonly kind: 'account' }): void {
    const { screen_name } = item.account;
    if (this.#batch.exclusions.hasHandle(screen_name)) {
      this.#accounts.excluded += 1;
      return;
    }
    const variant = variantOf(item.account);
    const other = this.#variants.get(screen_name);
    const isOther = other !== undefined && areTwoAccounts(other, variant);
    // the pair is the same in either order, and after a new record
    const pair = [screen_name, ...[variant, other ?? ''].map(withoutNewest).toSorted()];
    if (isOther) this.shown.add(versionOf(pair));
    // removed records do not date a profile
    const data = item.account.data.filter(({ id }) => !this.#gone.has(id));
    const outcome = this.#writer.addProfile({ ...item.account, data }, isOther);
    // the later of two readings of one account counts
    if (!isOther) this.#variants.set(screen_name, variant);
    if (typeof outcome === 'string' || outcome.namesake === undefined) {
      this.#count(this.#accounts, outcome, item);
      return;
    }
    if (outcome.namesake.replaced !== undefined) this.#accounts.replaced += 1;
    this.#reject(pair, conflictError(outcome, item));
  }

  #count(tally: Record<keyof Tally, number>, outcome: Outcome, item: Conflicting): void {
    if (typeof outcome === 'string') {
      tally[outcome] += 1;
      return;
    }
    const conflict = conflictError(outcome, item);
    throw rejection({ ...conflict, hint: `${conflict.hint}; the next run into this store reads only what is new` });
  }

  /** Rejects an item, unless the same version was rejected before, in this run or in an earlier one. */
  #reject(item: unknown, inputError: InputError): void {
    const version = versionOf(item);
    this.shown.add(version);
    if (this.rejected.has(version) || this.memory.hasRejected(version)) return;
    this.rejected.add(version);
    this.#options.onReject(inputError);
  }
}

function versionOf(item: unknown): string {
  return hash('sha256', encodeJson(item));
}

/** Drops the line, because {@link PageImporter.add} adds a line break to the page. */
function withoutLine(inputError: InputError): InputError {
  const { line: _, ...place } = inputError.place;
  return { ...inputError, place };
}

/** Returns the error for an account line of an export: a page has records or accounts. */
function accountLine({ place, state }: Item & { readonly kind: 'state' }): InputError {
  return {
    kind: 'error',
    code: 'bad-field',
    place,
    expected: 'a record or an account',
    found: 'an account line of an export',
    item: state,
  };
}
