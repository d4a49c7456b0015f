import { Option } from '@commander-js/extra-typings';
import { CONFLICT_POLICIES } from '../contract/conflict-policy.ts';
import type { ArchiveReport } from '../sources/archives/survey.ts';
import type { PageSetReport } from '../sources/page-set.ts';
import { lackOf } from '../sources/page-set-text.ts';
import type { Tally } from '../store/item-writer.ts';
import { number, plural, seconds, size, type Terminal } from '../terminal.ts';
import { again, DEFAULT_STORE, examples, JSON_HELP, type Program, path, paths, QUIET_HELP } from './options.ts';

export function declareImport(program: Program, terminal: Terminal): void {
  program
    .command('import')
    .summary('read change records and accounts into the store')
    .description(
      'Reads change records and accounts into the store. Accepts saved pages of either collection, NDJSON and JSON arrays, from files, ' +
        'folders or standard input (-), also compressed with gzip. Detects the format from the content. Imports everything or nothing.',
    )
    .argument('<source...>', 'files, folders, or - for standard input', paths)
    .addOption(
      new Option('--store <file>', 'the store; created if it does not exist')
        .env('PALIMPSEST_STORE')
        .argParser(path)
        .default(DEFAULT_STORE),
    )
    .addOption(
      new Option('--on-conflict <policy>', 'what to do if the store has a different version of a record')
        .env('PALIMPSEST_ON_CONFLICT')
        .choices(CONFLICT_POLICIES)
        .default('fail' as const),
    )
    .addOption(
      new Option('--rejects <file>', 'write input that cannot be imported to this file, and import the rest')
        .env('PALIMPSEST_REJECTS')
        .argParser(path),
    )
    .addOption(
      new Option('--require-complete', 'import nothing unless the saved pages are proven complete').env('PALIMPSEST_REQUIRE_COMPLETE'),
    )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('--quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest import saved-pages/', 'every file in the folder'],
        ['zcat records.ndjson.gz | palimpsest import -', 'records from another program'],
        ['palimpsest import saved-pages/ --require-complete', 'fail if a page is missing'],
        ['palimpsest import history.warc.gz', 'the pages in a web archive'],
        ['palimpsest import today/ --on-conflict replace', 'replace records that differ'],
      ),
    )
    .action(async (sources, options) => {
      terminal.setOutput(options);
      const [{ inputsOf }, { openArchives }, { RejectsFile }, { importInputs }, { Store }] = await Promise.all([
        import('../sources/inputs.ts'),
        import('../sources/archives/open-archives.ts'),
        import('../sources/rejects.ts'),
        import('../import/import.ts'),
        import('../store/store.ts'),
      ]);
      const started = performance.now();
      const { inputs, reports, close } = await openArchives(inputsOf(sources, terminal.io.stdin));
      const bytes = inputs.reduce((sum, input) => sum + (input.size ?? 0), 0);
      const rejects =
        options.rejects === undefined ? undefined : new RejectsFile(options.rejects, [options.store, ...inputs.map((input) => input.name)]);
      const progress = terminal.progress('importing', size);
      const materializing = terminal.progress('updating the histories of', (accounts) => `${number(accounts)} accounts`);
      try {
        const summary = await importInputs(options.store, inputs, {
          onConflict: options.onConflict,
          onReject: rejects && ((inputError) => rejects.add(inputError)),
          requireComplete: options.requireComplete,
          beforeCommit: rejects && (() => rejects.append()),
          onProgress: (done) => progress.show(done, bytes),
          onMaterialize: materializing.show,
        });
        rejects?.keep();
        materializing.end();
        const store = Store.open(options.store);
        const { records, accounts } = store.revision;
        store.close();
        for (const set of summary.pageSets) if (set.status !== 'complete') terminal.warn(warningOf(set));
        for (const report of reports) for (const text of warningsOf(report)) terminal.warn(text);
        const took = performance.now() - started;
        terminal.summary(
          { ...summary, archives: reports, store: { path: options.store, records, accounts }, milliseconds: Math.round(took) },
          [
            `imported ${plural(inputs.length, 'source')} in ${seconds(took)}`,
            ...reports.map(archiveLine),
            `  records   ${tally(summary.records)}`,
            `  accounts  ${tally(summary.accounts)}`,
            ...(summary.rejected === 0 ? [] : [`  rejected  ${number(summary.rejected)}, written to ${options.rejects}`]),
            `  store     ${options.store} has ${plural(records, 'record')} of ${plural(accounts, 'account')}`,
            `next: palimpsest build${again('--store', options.store, DEFAULT_STORE)}`,
          ],
        );
      } finally {
        progress.end();
        materializing.end();
        rejects?.discard();
        close();
      }
    });
}

/** How many items were left out because their account was removed. */
export function excludedLine(records: number, accounts: number): string[] {
  if (records + accounts === 0) return [];
  return [`  excluded  ${plural(records, 'record')} and ${plural(accounts, 'account')}, removed before`];
}

function warningOf(set: PageSetReport): string {
  const verb = set.status === 'incomplete' && set.reason === null ? 'are' : 'may be';
  return `the saved pages of ${set.url ?? 'a collection without links'} ${verb} incomplete: ${lackOf(set)}`;
}

/** How many pages without a capture are named in a warning. */
const PRINTED = 10;

function warningsOf({ archive, missing }: ArchiveReport): string[] {
  if (missing.length === 0) return [];
  return [
    `${archive} has no good capture of ${plural(missing.length, 'page')}:`,
    ...missing.slice(0, PRINTED).map(({ url, reason }) => `  ${url}: ${reason}`),
  ];
}

function archiveLine({ archive, pages, repeated, failed, other }: ArchiveReport): string {
  const skipped = [
    ...(repeated === 0 ? [] : [`${number(repeated)} repeated`]),
    ...(failed === 0 ? [] : [`${number(failed)} failed`]),
    ...(other === 0 ? [] : [`${number(other)} of other addresses`]),
  ];
  return `  archive   ${archive}: ${plural(pages, 'page')}${skipped.length === 0 ? '' : `; skipped captures: ${skipped.join(', ')}`}`;
}

function tally({ added, same, kept, replaced }: Tally): string {
  const parts = [`${number(added)} new`, `${number(same)} known`];
  if (kept > 0) parts.push(`${number(kept)} kept unchanged`);
  if (replaced > 0) parts.push(`${number(replaced)} replaced`);
  return parts.join(', ');
}
