import { type OnProgress, Pauses } from '../contract/event-loop-pauses.ts';
import type { Failure } from '../contract/failure.ts';
import { removeTemporaryFiles } from '../contract/files/temporary-file.ts';
import type { LinkTemplates } from '../diff/networks.ts';
import { withProgress } from '../sources/inputs/input-progress.ts';
import { inputNamed } from '../sources/inputs/inputs.ts';
import { InputErrors } from '../sources/rejects/rejection.ts';
import type { FileCounts, ObserveContext } from '../sources/snapshots/observations.ts';
import type { Input, InputError, RunHooks } from '../sources/source.ts';
import { countWrongLastSeen, newestObservation } from '../store/accounts/last-seen.ts';
import { onStore } from '../store/database/open-store.ts';
import { toDiskFailure, wrapErrors } from '../store/database/store-error.ts';
import { Batch, type CommitPhase } from '../store/writing/batch.ts';
import { isAllRejected, mergeSnapshots, type ObserveSummary } from './merge-snapshots.ts';
import { readInputs } from './read-inputs.ts';
import { type Limits, refusalOf } from './run-guards.ts';
import { Spool } from './spool/spool.ts';

/** The phases of a run. `read` counts bytes, `compare` observations. */
export type ObservePhase = 'read' | 'compare' | CommitPhase;

/** A value that conflicts and is not recorded is rejected, too. */
export interface ObserveOptions extends RunHooks {
  readonly snapshots: ObserveContext;
  /** The URLs of mentions and hashtags; by default those of the service of each account. */
  readonly templates?: LinkTemplates | undefined;
  /** Whether to do everything except the commit, so that the store is unchanged. */
  readonly dryRun?: boolean | undefined;
  /** What the guards refuse; by default nothing. */
  readonly limits?: Limits | undefined;
  /** Opens an input that a rejects file names. By default, only files of this machine can be opened. */
  readonly openAgain?: ((name: string) => Input) | undefined;
  readonly onProgress?: OnProgress<ObservePhase> | undefined;
  /** The maximum size of the accounts in memory, in UTF-16 units. It has a default. */
  readonly cacheUnits?: number | undefined;
}

export interface ObserveResult extends ObserveSummary {
  /** Why nothing was added. */
  readonly refusal: Failure | undefined;
  /** If no snapshot showed anything new: for how many accounts only the pages change, because they say when it was last seen. */
  readonly lastSeen: number;
  /** Whether a snapshot has a day on which no earlier run had one. Then HTML pages change that show these days. */
  readonly hasNewDay: boolean;
}

/**
 * Observes all inputs in time order, in one transaction: the store receives all changes or none.
 * The same observations again add nothing. Nothing is written if every snapshot is rejected (see {@link isAllRejected}), or if there
 * is a refusal.
 * @throws Failure for input errors and late observations, unless options.onReject is set; shared-time; without
 *   options.onReject also the refusal
 */
export async function observeInputs(storePath: string, inputs: readonly Input[], options: ObserveOptions): Promise<ObserveResult> {
  return await onStore(storePath, options.dryRun === true, (path) => observeInto(path, inputs, options));
}

async function observeInto(path: string, inputs: readonly Input[], options: ObserveOptions): Promise<ObserveResult> {
  const batch = new Batch(path, 'by account', options.dryRun);
  try {
    // the store is locked, so temporary files beside it belong to no other run
    const spool = wrapErrors(path, () => {
      removeTemporaryFiles(path);
      return new Spool(path);
    });
    try {
      const pauses = new Pauses(options.signal, 'nothing was added');
      const inputErrors = new InputErrors(inputs.length);
      const reject = options.onReject ?? ((inputError: InputError) => inputErrors.add(inputError));
      const context = { ...options.snapshots, openAgain: options.openAgain ?? inputNamed };
      const counted = withProgress(inputs, pauses, (done, all) => options.onProgress?.('read', done, all));
      const { files, parts, pathTimes, ...reading } = await readInputs(counted, context, spool, batch.exclusions, pauses, reject);
      inputErrors.throwIfAny();
      parts.throwIfIncomplete();
      inputs[0]?.filter?.throwIfNone(inputs.map(({ name }) => name));
      const storeTo = newestObservation(batch.database);
      const { run, runBefore, runTo, hasNewDay, ...merging } = await mergeSnapshots(batch, spool, pauses, options, reject);
      const sums = { rejected: reading.rejected + merging.rejected, excluded: reading.excluded + merging.excluded };
      const guarded = { ...merging, ...sums, run, runBefore, runTo, unreadable: reading.rejected, storeTo, dryRun: options.dryRun };
      const refusal = options.limits && refusalOf(guarded, limitsOf(options.limits, files, options.onReject));
      if (refusal !== undefined && options.onReject === undefined) throw refusal;
      inputErrors.throwIfAny();
      await options.beforeCommit?.();
      const summary = { ...merging, ...sums, skipped: files.skipped, suspended: files.suspended, path_times: pathTimes };
      const lastSeen = merging.changed === 0 ? countWrongLastSeen(batch.database) : 0;
      if (!options.dryRun && refusal === undefined && !isAllRejected(summary)) await batch.commit(pauses, options.onProgress);
      return { ...summary, refusal, lastSeen, hasNewDay };
    } catch (error) {
      throw toDiskFailure(path, error);
    } finally {
      spool.close();
    }
  } finally {
    batch.end();
  }
}

/** A rejects file has few of the accounts. A run that writes none fails at its first reject, which says more than their number. */
function limitsOf(limits: Limits, { rejectLines }: FileCounts, onReject: unknown): Limits {
  const { maxRejected, minAccounts } = limits;
  return { ...limits, maxRejected: onReject === undefined ? 1 : maxRejected, minAccounts: rejectLines === 0 ? minAccounts : 0 };
}
