import { Option } from '@commander-js/extra-typings';
import { CONFLICT_POLICIES } from '../contract/conflict-policy.ts';
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
      'Reads change records and accounts into the store: saved pages of either collection, NDJSON, or JSON arrays, as files, ' +
        'folders or standard input (-), gzip or not. What each is shows in its content. All of it goes in, or nothing does.',
    )
    .argument('<source...>', 'files, folders, or - for standard input', paths)
    .addOption(
      new Option('--store <file>', 'the store; made if it is not there').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE),
    )
    .addOption(
      new Option('--on-conflict <policy>', 'where the store has another version of a record')
        .env('PALIMPSEST_ON_CONFLICT')
        .choices(CONFLICT_POLICIES)
        .default('fail' as const),
    )
    .addOption(
      new Option('--rejects <file>', 'set aside there what cannot go in, and import the rest').env('PALIMPSEST_REJECTS').argParser(path),
    )
    .addOption(
      new Option('--require-complete', 'import nothing unless the saved pages prove to be complete').env('PALIMPSEST_REQUIRE_COMPLETE'),
    )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('--quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest import saved-pages/', 'every file in the folder'],
        ['zcat records.ndjson.gz | palimpsest import -', 'records from another program'],
        ['palimpsest import saved-pages/ --require-complete', 'fail if a page is missing'],
        ['palimpsest import today/ --on-conflict replace', 'take the new versions where they differ'],
      ),
    )
    .action(async (sources, options) => {
      terminal.setOutput(options);
      const [{ inputsOf }, { RejectsFile }, { importInputs }, { Store }] = await Promise.all([
        import('../sources/inputs.ts'),
        import('../sources/rejects.ts'),
        import('../import/import.ts'),
        import('../store/store.ts'),
      ]);
      const started = performance.now();
      const inputs = inputsOf(sources, terminal.surroundings.stdin);
      const bytes = inputs.reduce((sum, input) => sum + (input.size ?? 0), 0);
      const rejects =
        options.rejects === undefined ? undefined : new RejectsFile(options.rejects, [options.store, ...inputs.map((input) => input.name)]);
      const progress = terminal.progress('importing', size);
      const settling = terminal.progress('gathering the histories of', (accounts) => `${number(accounts)} accounts`);
      try {
        const summary = await importInputs(options.store, inputs, {
          onConflict: options.onConflict,
          onReject: rejects && ((inputError) => rejects.add(inputError)),
          requireComplete: options.requireComplete,
          beforeCommit: rejects && (() => rejects.append()),
          onProgress: (done) => progress.show(done, bytes),
          onMaterialize: settling.show,
        });
        rejects?.keep();
        settling.end();
        const store = Store.open(options.store);
        const { records, accounts } = store.revision;
        store.close();
        for (const set of summary.pageSets) if (set.status !== 'complete') terminal.warn(warningOf(set));
        const took = performance.now() - started;
        terminal.summary({ ...summary, store: { path: options.store, records, accounts }, milliseconds: Math.round(took) }, [
          `imported ${plural(inputs.length, 'source')} in ${seconds(took)}`,
          `  records   ${tally(summary.records)}`,
          `  accounts  ${tally(summary.accounts)}`,
          ...(summary.rejected === 0 ? [] : [`  rejected  ${number(summary.rejected)}, set aside in ${options.rejects}`]),
          `  store     ${options.store} holds ${number(records)} records of ${number(accounts)} accounts`,
          `next: palimpsest build${again('--store', options.store, DEFAULT_STORE)} --base-url https://example.org`,
        ]);
      } finally {
        progress.end();
        settling.end();
        rejects?.discard();
      }
    });
}

function warningOf(set: PageSetReport): string {
  const verb = set.status === 'incomplete' && set.reason === null ? 'are' : 'may be';
  return `the saved pages of ${set.url ?? 'a collection without links'} ${verb} incomplete: ${lackOf(set)}`;
}

function tally({ added, same, kept, replaced }: Tally): string {
  const parts = [`${number(added)} new`, `${number(same)} known`];
  if (kept > 0) parts.push(`${number(kept)} kept as they were`);
  if (replaced > 0) parts.push(`${number(replaced)} replaced`);
  return parts.join(', ');
}
