import { availableParallelism } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { type OnProgress, Pauses } from '../contract/event-loop-pauses.ts';
import type { Failure } from '../contract/failure.ts';
import type { GoneItem } from '../contract/files/gone-item.ts';
import type { IncompleteMirror } from '../contract/files/incomplete-mirror.ts';
import type { ConflictPolicy } from '../contract/record.ts';
import type { DaySpan } from '../contract/snapshots/snapshot-days.ts';
import { type HintCommand, plainCommand } from '../sources/hint-command.ts';
import { withProgress } from '../sources/inputs/input-progress.ts';
import { inputNamed } from '../sources/inputs/inputs.ts';
import { type PageSetReport, PageSets } from '../sources/items/page-set.ts';
import { withoutRemoved } from '../sources/rejects/redact-removed.ts';
import { InputErrors, tooManyRejects } from '../sources/rejects/rejection.ts';
import type { Input, InputError, Item, RunHooks } from '../sources/source.ts';
import { AccountStateWriter } from '../store/accounts/account-state-writer.ts';
import { onStore } from '../store/database/open-store.ts';
import { ExclusionWriter } from '../store/exclusions/exclusion-writer.ts';
import { addGoneItems } from '../store/gone-items.ts';
import { incompleteMirrors } from '../store/mirror-state.ts';
import { addSnapshotDays } from '../store/snapshot-days.ts';
import { Batch, type CommitPhase } from '../store/writing/batch.ts';
import { ItemWriter } from '../store/writing/item-writer.ts';
import { NO_ITEMS, type Outcome, type Tally, withdraw } from '../store/writing/outcome.ts';
import { type AccountConflict, AccountConflicts, type Conflicting, conflictError } from './conflict-list.ts';
import { type EncodedItem, InputReading, type ThreadOptions } from './input-reading.ts';
import { requireComplete } from './required-completeness.ts';
import { updateReports } from './update-reports.ts';

/** The phases of an import. `read` counts bytes. */
export type ImportPhase = 'read' | CommitPhase;

export interface ImportOptions extends RunHooks {
  /** Whether to do everything except the commit, so that the store is unchanged. */
  readonly dryRun?: boolean | undefined;
  readonly onConflict: ConflictPolicy;
  /** Returns the commands that hints show. */
  readonly command?: HintCommand | undefined;
  /** Opens an input that a rejects file names; by default only those on this machine. */
  readonly openAgain?: ((name: string) => Input) | undefined;
  /** The highest share of items that are rejected, from 0 to 1; by default any. */
  readonly maxRejected?: number | undefined;
  /** The reports in the inputs. The store remembers it. */
  readonly incomplete?: readonly IncompleteMirror[] | undefined;
  /** The base URL of the pages, also of those that have no links; undefined if it is unknown. */
  readonly baseUrl?: string | undefined;
  /** Whether the saved pages must be proven complete. If they are not, nothing is imported. */
  readonly requireComplete?: boolean | undefined;
  readonly onProgress?: OnProgress<ImportPhase> | undefined;
  /** By default a thread parses large inputs if the store has no records and the machine has several cores. */
  readonly threads?: ThreadOptions | undefined;
}

export interface ImportResult extends ImportSummary {
  /** Why nothing was imported. */
  readonly refusal: Failure | undefined;
  /** Whether every item was rejected. The store is then unchanged. */
  readonly isAllRejected: boolean;
  /** Whether the page about the history changes for another reason: other reports of incomplete mirrors, or new days with snapshots. */
  readonly isAboutPageChanged: boolean;
}

export interface ImportSummary {
  readonly records: Tally;
  readonly accounts: Tally;
  /** The exclusions of an export. */
  readonly exclusions: Tally;
  /**
   * The items of an export that a service no longer has. `newCount` counts those that the store did not know as gone, or only from a
   * later time on.
   */
  readonly goneItems: { readonly count: number; readonly newCount: number };
  readonly rejected: number;
  /** The profiles that the store does not have because it has another one for the screen name. With a rejects file, they are there. */
  readonly conflicts: { readonly count: number; readonly listed: readonly AccountConflict[] };
  /** What is missing from the saved pages among the inputs, by collection. */
  readonly pageSets: readonly PageSetReport[];
  /** What the sources say that they lack. */
  readonly incomplete: readonly IncompleteMirror[];
}

/**
 * Imports all inputs in one transaction: the store receives all items or none. A profile that conflicts with another one is
 * left out and counted. Nothing is written if every item is rejected (see {@link ImportResult.isAllRejected}), or if there
 * is a refusal.
 * @throws Failure for input errors and for conflicts of records, unless options.onReject is set; incomplete if
 *   options.requireComplete is not met
 */
export async function importInputs(store: string, inputs: readonly Input[], options: ImportOptions): Promise<ImportResult> {
  return await onStore(store, options.dryRun === true, (path) => importInto(path, inputs, options));
}

async function importInto(store: string, inputs: readonly Input[], options: ImportOptions): Promise<ImportResult> {
  const { onProgress = () => {} } = options;
  const pauses = new Pauses(options.signal, 'nothing was imported');
  const batch = new Batch(store, 'by id', options.dryRun);
  const [records, accounts, exclusions] = [{ ...NO_ITEMS }, { ...NO_ITEMS }, { ...NO_ITEMS }];
  let rejected = 0;
  const former: (Item & { readonly kind: 'account' })[] = [];
  const pages = new PageSets();
  const incomplete = [...(options.incomplete ?? [])];
  const days: DaySpan[] = [];
  const gone: GoneItem[] = [];
  const inputErrors = new InputErrors(inputs.length);
  const conflicts = new AccountConflicts();
  const count = (tally: Record<keyof Tally, number>, outcome: Outcome, item: Conflicting): void => {
    if (typeof outcome === 'string') {
      tally[outcome] += 1;
      return;
    }
    if (outcome.namesake?.replaced !== undefined) tally.replaced += 1;
    const isProfile = item.kind === 'account' || item.kind === 'state';
    if (isProfile && options.onReject === undefined) conflicts.add(outcome, item);
    else reject(conflictError(outcome, item));
  };
  const reject = (inputError: InputError): void => {
    if (options.onReject === undefined) inputErrors.add(inputError);
    else options.onReject(inputError);
    rejected += 1;
  };
  // if the store has the records already, a thread costs more than it saves
  const threads = options.threads ?? { isAllowed: batch.isFirst && availableParallelism() > 1 };
  const { command = plainCommand, openAgain = inputNamed } = options;
  const reading = new InputReading({ command, openAgain }, pauses, threads);
  try {
    const writer = new ItemWriter(batch, options.onConflict);
    const states = new AccountStateWriter(batch, options.onConflict);
    const exclusionWriter = new ExclusionWriter(batch, options.onConflict);
    const addEncoded = ({ record, item }: EncodedItem): void => {
      const outcome = writer.addEncoded(record, () => item().record);
      if (typeof outcome === 'string') records[outcome] += 1;
      else count(records, outcome, item());
    };
    const metered = withProgress(inputs, pauses, (done, all) => onProgress('read', done, all));
    for await (const items of reading.itemsOf(metered, () => writer.endInput())) {
      if (pauses.areDue) await pauses.take();
      for (const item of items) {
        if (item.kind === 'encoded') addEncoded(item);
        else if (item.kind === 'record') count(records, writer.addRecord(item.record, item.json), item);
        else if (item.kind === 'account' && writer.isFormer(item.account)) former.push(item);
        else if (item.kind === 'account') count(accounts, writer.addProfile(item.account), item);
        else if (item.kind === 'state') {
          if (states.isNamesake(item.state)) writer.addNamesake(item.state.screen_name);
          count(accounts, states.add(item.state), item);
        } else if (item.kind === 'exclusion') count(exclusions, exclusionWriter.add(item.exclusion), item);
        else if (item.kind === 'gone') gone.push(item.gone);
        else if (item.kind === 'page') pages.add(item.page);
        else if (item.kind === 'incomplete') incomplete.push(item.report);
        else if (item.kind === 'days') days.push(...item.days);
        else {
          const shown = withoutRemoved(item, batch.exclusions);
          if (shown === undefined) records.excluded += 1;
          else reject(shown);
        }
      }
    }
    inputs[0]?.filter?.throwIfNone(inputs.map(({ name }) => name));
    for (const item of former) count(accounts, writer.addProfile(item.account), item);
    inputErrors.throwIfAny();
    const goneItems = { count: gone.length, newCount: addGoneItems(batch.database, gone) };
    const withdrawn = writer.withdrawExcluded();
    exclusionWriter.forgetNames();
    withdraw(records, withdrawn.records);
    withdraw(accounts, withdrawn.accounts);
    const pageSets = pages.report();
    if (options.requireComplete) requireComplete(pageSets, incomplete);
    const before = incompleteMirrors(batch.database);
    const isWhole = rejected === 0 && conflicts.count === 0;
    updateReports(batch.database, { pageSets, incomplete, isWhole, baseUrl: options.baseUrl });
    const hasNewDay = addSnapshotDays(batch.database, days);
    const isAboutPageChanged = hasNewDay || !isDeepStrictEqual(incompleteMirrors(batch.database), before);
    if (goneItems.newCount > 0 || isAboutPageChanged) batch.markMetadataChanged();
    await reading.close();
    await options.beforeCommit?.();
    const summary = {
      records,
      accounts,
      exclusions,
      goneItems,
      rejected,
      conflicts: { count: conflicts.count, listed: conflicts.listed },
      pageSets,
      incomplete,
    };
    const accepted = acceptedIn(summary);
    const refusal = tooManyRejects(rejected, accepted + rejected, options.maxRejected ?? 1, options.dryRun);
    const isAllRejected = rejected > 0 && accepted === 0;
    if (!options.dryRun && refusal === undefined && !isAllRejected) await batch.commit(pauses, onProgress);
    return { ...summary, refusal, isAllRejected, isAboutPageChanged };
  } finally {
    await reading.close();
    batch.end();
  }
}

function acceptedIn({ records, accounts, exclusions, goneItems, conflicts }: ImportSummary): number {
  const others = goneItems.count + conflicts.count;
  return [records, accounts, exclusions].flatMap((tally) => Object.values(tally)).reduce((sum, count) => sum + count, others);
}
