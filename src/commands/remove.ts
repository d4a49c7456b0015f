import type { Values } from '../command-line/commands.ts';
import { type Refusal, refuse } from '../command-line/refusals.ts';
import type { Given } from '../command-line/spec.ts';
import { number, plural, seconds } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import { discardUnfinishedRuns, unfinishedRuns } from '../mirror/spool/unfinished-runs.ts';
import { filesBeside, type RemoveSummary, removeAccounts, withRemoved } from '../store/exclusions/remove.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { nextBuild } from './next-step.ts';
import { checkLines } from './receipt-text.ts';
import { COMMIT_PHASES, newStoreLine, withStore } from './tree-state.ts';

const REFUSED_WITH_DRY_RUN: Refusal = {
  options: ['--check', '--receipt'],
  found: '--dry-run',
  expected: 'a removal: copies are searched for accounts that are excluded',
};

export async function runRemove(terminal: Terminal, options: Values<'remove'>, given: Given): Promise<void> {
  const { account: names, store, dryRun: isDryRun, yes: isConfirmed, allowUnknown } = options;
  if (isDryRun) refuse(REFUSED_WITH_DRY_RUN, given);
  const preview = given.get('--dry-run') === 'env' ? 'PALIMPSEST_DRY_RUN' : '--dry-run';
  const onProgress = terminal.progress(COMMIT_PHASES);
  const { stopSignal: signal } = terminal;
  const newStore = newStoreLine(store, isDryRun ? 'would create' : 'created');
  const isSearch = options.check !== undefined || options.receipt !== undefined;
  const choices = { now: new Date().toISOString().replace(/\.\d+/, ''), allowUnknown, isSearch };
  const planned = await removeAccounts(store, names, { ...choices, isDryRun: true }).catch(async (error: unknown) => {
    throw await withSimilarAccounts(error, store);
  });
  if (!isDryRun && !isConfirmed && isRemoval(planned)) throw notConfirmed(names, planned, store, isSearch ? SEARCH : REMOVAL);
  const report = isSearch ? await import('./remove-receipt.ts') : undefined;
  await report?.checkBefore(terminal, options);
  const unfinished = unfinishedRuns(store);
  // before the removal: a killed run can be repeated
  if (!isDryRun) discardUnfinishedRuns(store);
  const summary = isDryRun ? planned : await removeAccounts(store, names, { ...choices, isDryRun, signal, onProgress });
  const beside = filesBeside(store).filter((file) => !unfinished.includes(file));
  const makeReceipt = async () => {
    const made = await report?.receiptOf(terminal, options, summary, choices.now);
    if (made !== undefined && options.receipt !== undefined) await report?.writeReceipt(options.receipt, made);
    return made;
  };
  const receipt = await makeReceipt().catch((error: unknown) => {
    throw withRemoved(error, summary, store);
  });
  if (receipt !== undefined && receipt.found_places + receipt.unsearched_places > 0) terminal.exitCode = 1;
  const milliseconds = terminal.elapsed();
  const facts = {
    store,
    created_store: newStore !== false && !isDryRun,
    dry_run: isDryRun,
    unfinished_mirrors: unfinished,
    files_beside: beside,
    checks: receipt?.checks,
    foundPlaces: receipt?.found_places,
    unsearchedPlaces: receipt?.unsearched_places,
    milliseconds,
  };
  // an earlier run that was killed has printed nothing, and the tree and the target can still have its accounts
  const mustPublish = !isDryRun && summary.removed.length + summary.known.length > 0;
  const { removed, excluded: excludedNames, ...rest } = summary;
  const results = removed.map(({ former_handles, ...account }) => ({ ...account, handles: [account.screen_name, ...former_handles] }));
  terminal.summary({ results, excludedNames, ...rest, ...facts }, [
    `${isDryRun ? 'would remove' : 'removed'} ${plural(summary.removed.length, 'account')} in ${seconds(milliseconds)}`,
    ...lines(summary),
    newStore,
    unfinished.length > 0 && `  mirror    ${plural(unfinished.length, 'unfinished run')} deleted; the next one starts from page 1`,
    ...beside.map((file) => `  check     ${file} is beside the store and may have the account`),
    ...(receipt === undefined ? [] : checkLines(receipt)),
    options.receipt !== undefined && `  receipt   ${options.receipt}`,
    isDryRun
      ? `nothing was written: run again ${isConfirmed ? `without ${preview}` : `with --yes instead of ${preview}`} to change ${store}`
      : mustPublish
        ? nextBuild(terminal, store, true)
        : 'the store had no data of these accounts',
    ...(mustPublish
      ? [
          'then publish: pages as files need --allow-gaps; versions that have the account are deleted, or rebuilt without it with --rewrite-versions',
          'backups of the store keep the account until store push TARGET --keep-last 1; docs/removal.md in the package lists other copies',
        ]
      : []),
  ]);
}

/** Adds the accounts that an unknown name could mean to the error. */
async function withSimilarAccounts(error: unknown, path: string): Promise<unknown> {
  if (!(error instanceof Failure) || error.code !== 'no-account' || error.found === undefined) return error;
  const { found } = error;
  const { similarAccountsHint } = await import('../history/find-account.ts');
  const similar = withStore(path, (store) => similarAccountsHint(store, found));
  const isQuestion = typeof similar === 'string' && similar.endsWith('?');
  const more = `${isQuestion ? ' To' : '; to'} exclude the name anyway, add --allow-unknown`;
  return error.with({ hint: [...(typeof similar === 'string' ? [similar] : similar), more] });
}

function isRemoval({ removed, excluded }: RemoveSummary): boolean {
  return removed.length + excluded.length > 0;
}

function lines({ removed, excluded, known, shared, namesakes, mentions }: RemoveSummary): string[] {
  return [
    ...removed.map(
      ({ screen_name, stable_id, former_handles, records }) =>
        `  account   ${screen_name}${stable_id === null ? '' : ` (id ${stable_id})`}: ${plural(records, 'record')}, ${plural(former_handles.length, 'former handle')}`,
    ),
    ...excluded.map((name) => `  excluded  ${name}, although no account in the store has this name`),
    ...known.map((name) => `  known     ${name} is already removed and excluded`),
    ...shared.map((handle) => `  shared    ${handle} is not excluded, because another account has it now`),
    ...namesakes.map((name) => `  namesake  ${name} has or had one of these handles, too, and stays in the store`),
    ...mentionLines(mentions),
  ];
}

/** The maximum number of records with mentions in the text output. */
const PRINTED_MENTIONS = 5;

function mentionLines({ certain, possible, listed }: RemoveSummary['mentions']): string[] {
  if (certain + possible === 0) return [];
  const both = `certain in ${plural(certain, 'record')} of other accounts, possible in ${number(possible)}`;
  const first = listed.slice(0, PRINTED_MENTIONS).map(({ id, account }) => `${id} of ${account}`);
  const more = certain + possible > first.length ? ', and others: see --json' : '';
  return [`  mentions  ${both}; these records stay in the store: ${first.join(', ')}${more}`];
}

/** What a run without `--yes` needs: one that removes accounts, and one that searches copies for accounts that are removed. */
const REMOVAL = {
  expected: '--yes, because a removal cannot be undone',
  hint: 'run again with --yes to remove this, or with --dry-run to see a summary; nothing was changed',
};
const SEARCH = {
  expected: 'names of removed accounts, because --check and --receipt only search without --yes',
  hint: 'leave out the names of accounts in the store; to preview their removal, run with --dry-run, without --check and --receipt; nothing was changed',
};

function notConfirmed(names: readonly string[], summary: RemoveSummary, store: string, remedy: typeof REMOVAL): Failure {
  const found = lines(summary).map((line) => line.trim().replace(/\s+/, ' '));
  return new Failure('not-confirmed', `the removal of ${names.join(', ')} from ${store} is not confirmed`, {
    place: { file: store },
    found: found.join('; '),
    ...remedy,
  });
}
