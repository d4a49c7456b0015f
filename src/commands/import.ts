import { Option } from '@commander-js/extra-typings';
import { CONFLICT_POLICIES } from '../contract/conflict-policy.ts';
import { createdAt } from '../import/account-conflicts.ts';
import type { ImportSummary } from '../import/import.ts';
import type { ArchiveReport } from '../sources/archives/capture-selection.ts';
import type { HintCommand } from '../sources/hint-command.ts';
import type { PageSetReport } from '../sources/page-set.ts';
import { lackOf } from '../sources/page-set.ts';
import type { InputError } from '../sources/source.ts';
import type { Tally } from '../store/item-writer.ts';
import { number, plural, seconds, size } from '../terminal/amounts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { allRejected } from './all-rejected.ts';
import { COMMIT_PHASES } from './commit-phases.ts';
import { hintCommandFor } from './hint-command.ts';
import { reportProblems } from './job-summary.ts';
import { nextBuild } from './next-build.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP, texts } from './options.ts';
import { addSourceOptions, maxRejectedOption, remoteSources, SOURCE_HELP, sources } from './source-options.ts';

/** The maximum number of conflicts in the text output. */
const PRINTED_CONFLICTS = 5;

export function declareImport(program: Program, terminal: Terminal): void {
  addSourceOptions(
    program
      .command('import')
      .summary('read change records and accounts into the store')
      .description(
        'Reads change records and accounts into the store, from files, folders, archives, addresses or standard input (-). ' +
          'Accepts saved pages of a history service, NDJSON, JSON arrays, exports, web archives (WARC, WACZ) and bags. Files may be ' +
          'compressed. Detects the format from the content. Imports everything or nothing.',
      )
      .argument('<source...>', SOURCE_HELP, sources)
      .addOption(
        new Option('--store <file>', 'the store; created if it does not exist')
          .env('PALIMPSEST_STORE')
          .argParser(path)
          .default(DEFAULT_STORE),
      )
      .addOption(
        new Option('--on-conflict <policy>', 'what to do if the store has a record with the same id and other content')
          .env('PALIMPSEST_ON_CONFLICT')
          .choices(CONFLICT_POLICIES)
          .default('fail' as const),
      )
      .addOption(
        new Option('--rejects <file>', 'write input that cannot be imported to this file, and import the rest')
          .env('PALIMPSEST_REJECTS')
          .argParser(path),
      )
      .addOption(maxRejectedOption())
      .addOption(new Option('--include <glob>', 'read only files that match; can be repeated').env('PALIMPSEST_INCLUDE').argParser(texts))
      .addOption(new Option('--exclude <glob>', 'do not read files that match; can be repeated').env('PALIMPSEST_EXCLUDE').argParser(texts))
      .addOption(
        new Option('--require-complete', 'fail if the saved pages lack items, or do not prove that they are complete').env(
          'PALIMPSEST_REQUIRE_COMPLETE',
        ),
      ),
  )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest import saved-pages/', 'every file in the folder'],
        ['zcat records.ndjson.gz | palimpsest import -', 'records from another program'],
        ['palimpsest import saved-pages/ --require-complete', 'fail if a page is missing'],
        ['palimpsest import history.warc.gz', 'the pages in a web archive'],
        ['palimpsest import s3://bucket/saved-pages', 'the objects of a prefix'],
        ['palimpsest import today/ --on-conflict replace', 'replace records that differ'],
        ["palimpsest import site/ --include '*.json' --exclude 'drafts/'", 'only some files of a folder'],
        ['palimpsest import site/ --rejects rejects.ndjson', 'set aside what cannot be imported'],
        ['palimpsest import rejects.ndjson', 'import the rejects after you correct them'],
      ),
    )
    .action(async (addresses, options) => {
      terminal.setOutput(options);
      const [{ inputNamed, inputsOf }, { openArchives }, { RejectsFile }, { importInputs, isAllRejected }, { Store }] = await Promise.all([
        import('../sources/inputs.ts'),
        import('../sources/archives/open-archives.ts'),
        import('../sources/rejects.ts'),
        import('../import/import.ts'),
        import('../store/store.ts'),
      ]);
      const started = performance.now();
      const patterns = { include: options.include ?? [], exclude: options.exclude ?? [] };
      const remote = remoteSources(options, terminal, 'nothing was imported');
      const named = inputsOf(addresses, terminal.io.stdin, patterns, remote);
      const command = await hintCommandFor(terminal, addresses);
      const rejects =
        options.rejects === undefined
          ? undefined
          : new RejectsFile(options.rejects, [options.store, ...named.flatMap((input) => input.path ?? [])]);
      const onReject = rejects && ((inputError: InputError) => rejects.add(inputError));
      let close = () => {};
      try {
        const archives = await openArchives(named, onReject);
        close = archives.close;
        const { inputs, reports } = archives;
        const { refusal, ...summary } = await importInputs(options.store, inputs, {
          onConflict: options.onConflict,
          command,
          onReject,
          openAgain: (name) => inputNamed(name, remote),
          requireComplete: options.requireComplete,
          maxRejected: options.maxRejected.share,
          beforeCommit: rejects && (() => rejects.append()),
          signal: terminal.stopSignal,
          onProgress: terminal.progress({ read: { label: 'reading', amount: size }, ...COMMIT_PHASES }),
        });
        rejects?.keep();
        if (refusal !== undefined) throw refusal;
        if (options.rejects !== undefined && isAllRejected(summary)) throw allRejected('import', summary.rejected, options.rejects);
        const store = Store.open(options.store);
        const { records, accounts } = store.revision;
        store.close();
        reportProblems(terminal, 'import', { rejected: summary.rejected, rejects: options.rejects, conflicts: summary.conflicts.count });
        for (const set of summary.pageSets) if (set.status !== 'complete') terminal.alert(warningOf(set));
        for (const line of conflictLines(summary, command)) terminal.alert(line);
        if (summary.conflicts.count > 0) terminal.exitCode = 1;
        if (reports.some(({ damaged }) => damaged > 0)) terminal.exitCode = 1;
        for (const report of reports) for (const text of warningsOf(report, options.rejects)) terminal.alert(text);
        const took = performance.now() - started;
        const rereads = options.rejects === undefined ? '' : command('import', options.rejects);
        terminal.summary(
          { ...summary, archives: reports, store: { path: options.store, records, accounts }, milliseconds: Math.round(took) },
          [
            `imported ${plural(inputs.length, 'source')} in ${seconds(took)}`,
            ...reports.map(archiveLine),
            `  records   ${tally(summary.records)}`,
            `  accounts  ${tally(summary.accounts)}`,
            ...(summary.rejected === 0 ? [] : [`  rejected  ${number(summary.rejected)}, written to ${options.rejects}`]),
            `  store     ${options.store} has ${plural(records, 'record')} of ${plural(accounts, 'account')}`,
            ...(summary.rejected === 0 ? [] : [`to import the rejected items: correct them in ${options.rejects}, then run ${rereads}`]),
            await nextBuild(terminal, isChanged(summary)),
          ],
        );
      } finally {
        rejects?.discard();
        close();
        remote.close();
      }
    });
}

/** Whether an import changed the store. */
function isChanged({ records, accounts, exclusions }: ImportSummary): boolean {
  return [records, accounts, exclusions].some(({ added, replaced }) => added + replaced > 0);
}

/** How many items were left out because their account was removed. */
export function excludedLine(records: number, accounts: number): string[] {
  if (records + accounts === 0) return [];
  return [`  excluded  ${plural(records, 'record')} and ${plural(accounts, 'account')}, removed before`];
}

function warningOf(set: PageSetReport): string {
  const verb = set.status === 'incomplete' && set.reason === null ? 'are' : 'may be';
  return `the saved pages of ${set.url ?? 'a collection without links'} ${verb} incomplete: ${lackOf(set)}; save the missing pages, and import them too`;
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

function warningsOf({ archive, missing_pages, missing, damaged }: ArchiveReport, rejects: string | undefined): string[] {
  const damage = `${archive} is damaged: the readable pages were imported, and the damage is listed in ${rejects}`;
  const lines = damaged === 0 ? [] : [damage];
  if (missing_pages === 0) return lines;
  return [
    ...lines,
    `${archive} has no usable capture of ${plural(missing_pages, 'page')}:`,
    ...missing.slice(0, PRINTED).map(({ url, reason }) => `  ${url}: ${reason}`),
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
