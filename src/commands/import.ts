import { existsSync } from 'node:fs';
import type { Values } from '../command-line/commands.ts';
import { number, plural, seconds } from '../contract/amounts.ts';
import { isBaseUrl } from '../contract/base-url.ts';
import { lackSentence } from '../contract/files/incomplete-mirror.ts';
import type { Collection } from '../contract/pages/collection.ts';
import { createdAt } from '../import/conflict-list.ts';
import { type ImportSummary, importInputs } from '../import/import.ts';
import type { ArchiveReport } from '../sources/archives/capture-selection.ts';
import { openArchives } from '../sources/archives/web-archive-inputs.ts';
import type { HintCommand } from '../sources/hint-command.ts';
import { lackOf, type PageSetReport } from '../sources/items/page-set.ts';
import type { Tally } from '../store/writing/outcome.ts';
import { bytes } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { reportProblems } from './job-summary.ts';
import { type KnownSite, nextBuild } from './next-step.ts';
import { correctionLine, nothingWritten, openSources, rejectedLine } from './sources.ts';
import { COMMIT_PHASES, newStoreLine, withStore } from './tree-state.ts';

/** The maximum number of conflicts in the text output. */
const PRINTED_CONFLICTS = 5;

export async function runImport(terminal: Terminal, options: Values<'import'>): Promise<void> {
  const sources = openSources(options, terminal, options.store, 'nothing was imported');
  const { command, reading } = sources;
  const newStore = newStoreLine(options.store, options.dryRun ? 'would create' : 'created');
  let close = () => {};
  try {
    const archives = await openArchives(sources.inputs, reading.onReject);
    close = archives.close;
    const { inputs, reports, incomplete, baseUrl } = archives;
    const { refusal, isAllRejected, isAboutPageChanged, ...summary } = await importInputs(options.store, inputs, {
      ...options,
      ...reading,
      command,
      incomplete,
      baseUrl,
      onProgress: terminal.progress({ read: { label: 'reading', amount: bytes }, ...COMMIT_PHASES }),
    });
    sources.keepRejects('import', summary.rejected, isAllRejected, refusal);
    const { records, accounts } = existsSync(options.store)
      ? withStore(options.store, ({ revision }) => revision)
      : { records: 0, accounts: 0 };
    reportProblems(terminal, 'import', summary, options);
    for (const set of summary.pageSets) if (set.status !== 'complete') terminal.alert(warningOf(set));
    for (const lack of summary.incomplete) terminal.alert(`a source is not known to be complete: ${lackSentence(lack)}`);
    for (const line of conflictLines(summary, command)) terminal.alert(line);
    if (summary.conflicts.count > 0 || reports.some((report) => report.damaged_parts > 0)) terminal.exitCode = 1;
    for (const report of reports) for (const text of warningsOf(report, options.rejects)) terminal.alert(text);
    const milliseconds = terminal.elapsed();
    terminal.summary(
      {
        ...jsonOf(summary),
        dryRun: options.dryRun,
        archives: reports,
        store: options.store,
        records,
        accounts,
        milliseconds,
      },
      [
        `${options.dryRun ? 'read' : 'imported'} ${plural(inputs.length, 'source')} in ${seconds(milliseconds)}`,
        ...reports.map(archiveLine),
        `  records   ${tally(summary.records)}`,
        `  profiles  ${tally(summary.accounts)}`,
        rejectedLine(summary.rejected, options),
        newStore,
        `  store     ${options.store} has ${plural(records, 'record')} of ${plural(accounts, 'account')}`,
        correctionLine('import', summary.rejected, options, terminal),
        options.dryRun
          ? nothingWritten(options.store)
          : nextBuild(terminal, options.store, isAboutPageChanged || isChanged(summary), siteOf(summary.pageSets, baseUrl)),
      ],
    );
  } finally {
    sources.close();
    close();
  }
}

function jsonOf({ records, accounts, exclusions, pageSets, ...rest }: ImportSummary): object {
  return {
    recordsByOutcome: records,
    accountsByOutcome: accounts,
    exclusionsByOutcome: exclusions,
    pageSets: pageSets.map(({ missingPages, ...set }) => ({
      ...set,
      missingPages: missingPages.map(({ from, to }) => ({ firstPage: from, lastPage: to })),
    })),
    ...rest,
  };
}

function isChanged({ records, accounts, exclusions }: ImportSummary): boolean {
  return [records, accounts, exclusions].some(({ added, replaced }) => added + replaced > 0);
}

/**
 * Returns what saved pages say about their site; undefined if they have no address, or are of several services.
 * @param known the base URL of pages without links
 */
function siteOf(sets: readonly PageSetReport[], known: string | undefined): KnownSite | undefined {
  // pages at other addresses, such as those of another API, do not show where a tree would be
  const linked = sets.flatMap(({ url }) => (url === null ? [] : [/^(.*)\/rest\/(data|account)\/$/.exec(url)?.[1]]));
  const baseUrls = new Set(linked.length === 0 && known !== undefined ? [known] : linked);
  const [baseUrl] = baseUrls;
  if (baseUrls.size !== 1 || baseUrl === undefined || !isBaseUrl(baseUrl)) return undefined;
  const pageSize = (collection: Collection) => sets.find((set) => set.collection === collection)?.pageSize ?? undefined;
  return { baseUrl, pageSizes: { data: pageSize('data'), account: pageSize('account') } };
}

function warningOf(set: PageSetReport): string {
  const verb = set.status === 'incomplete' && set.reason === null ? 'are' : 'may be';
  return `the saved pages of ${set.url ?? 'a collection without links'} ${verb} incomplete: ${lackOf(set)}; save the missing pages or all pages again, and import them`;
}

/** The first conflicts between profiles as text, and what the user can do. */
function conflictLines({ conflicts: { count, listed } }: ImportSummary, command: HintCommand): string[] {
  if (count === 0) return [];
  const lines = listed.slice(0, PRINTED_CONFLICTS).map((conflict) => {
    const { account, two_accounts, kept_creation_date, left_out_creation_date, file, line, field } = conflict;
    const place = [file, line === undefined ? undefined : `line ${line}`, field].filter((part) => part !== undefined).join(', ');
    return two_accounts
      ? `${account}: two accounts have this screen name; the store has the one ${createdAt(kept_creation_date)}, not the one ${createdAt(left_out_creation_date)} (${place})`
      : `${account}: two versions of one profile, and neither is newer; the store kept its version (${place})`;
  });
  const more = count > lines.length ? [`${number(count - lines.length)} more: --json lists the first ${number(listed.length)}`] : [];
  return [
    `${plural(count, 'profile')} left out because of a conflict; everything else was imported`,
    ...lines,
    ...more,
    `to keep the profiles of the store: ${command('import', undefined, { '--on-conflict': 'keep' })}`,
    `to take the other profiles: ${command('import', undefined, { '--on-conflict': 'replace' })}`,
    `to set the other profiles aside in a file: ${command('import', undefined, { '--rejects': 'FILE' })}`,
  ];
}

/** How many pages without a capture are named in a warning. */
const PRINTED = 10;

function warningsOf({ archive, missing, damaged_parts }: ArchiveReport, rejects: string | undefined): string[] {
  const damage = `${archive} is damaged: the readable pages were imported, and the damage is listed in ${rejects}`;
  const lines = damaged_parts === 0 ? [] : [damage];
  if (missing.count === 0) return lines;
  return [
    ...lines,
    `${archive} has no usable capture of ${plural(missing.count, 'page')}:`,
    ...missing.listed.slice(0, PRINTED).map(({ url, reason }) => `  ${url}: ${reason}`),
  ];
}

function archiveLine({ archive, pages, repeated, failed, other }: ArchiveReport): string {
  const skipped = [
    ...(repeated === 0 ? [] : [`${plural(repeated, 'earlier capture')} of the same pages`]),
    ...(failed === 0 ? [] : [plural(failed, 'failed response')]),
    ...(other === 0 ? [] : [`${plural(other, 'capture')} of other addresses`]),
  ];
  return `  archive   ${archive}: ${plural(pages, 'page')}${skipped.length === 0 ? '' : `; skipped ${skipped.join(', ')}`}`;
}

function tally({ added, same, kept, replaced }: Tally): string {
  const parts = [`${number(added)} new`, plural(same, 'duplicate')];
  if (kept > 0) parts.push(`${number(kept)} kept unchanged`);
  if (replaced > 0) parts.push(`${number(replaced)} replaced`);
  return parts.join(', ');
}
