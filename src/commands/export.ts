import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import { Pauses } from '../contract/pauses.ts';
import { number, seconds } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { declareTableExports } from './export-tables.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';

/** Declares the group `export`, with one command per format. */
export function declareExport(program: Program, terminal: Terminal): void {
  const group = program
    .command('export')
    .summary('write the store for other programs, or for import')
    .description('Writes the store as NDJSON, CSV or Parquet, for other programs or for import.');
  group
    .command('ndjson')
    .summary('write the whole store as NDJSON')
    .description(
      'Writes the whole store as NDJSON, one JSON object per line (see docs/export.md in the package). The file contains every record. It also contains ' +
        'the profile, stable id, former handles and last observation time of every account. palimpsest import restores all of it.',
    )
    .addOption(
      new Option('--to <file>', 'the file to write; - for standard output').env('PALIMPSEST_TO').argParser(plainFile).makeOptionMandatory(),
    )
    .addOption(new Option('--store <file>', 'the store').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest export ndjson --to store.ndjson', 'export the store to a file'],
        ['palimpsest export ndjson --to - | gzip > store.ndjson.gz', 'export to a compressed file'],
        ['palimpsest import store.ndjson --store copy.db', 'import the file into another store'],
      ),
    )
    .action(async ({ to, store: storePath, ...outputMode }) => {
      terminal.setOutput(outputMode);
      const [{ Store }, { ndjson }, { isSameFile, writeFiles }, { toFailure }] = await Promise.all([
        import('../store/store.ts'),
        import('../export/ndjson.ts'),
        import('../export/export-file.ts'),
        import('../store/store-error.ts'),
      ]);
      if (isSameFile(to, storePath)) throw overwritesStore(to);
      const started = performance.now();
      const store = Store.open(storePath);
      try {
        const { records, accounts } = store.revision;
        const pauses = new Pauses(terminal.stopSignal, to === '-' ? 'the output is incomplete' : `${to} was not written`);
        const progress = terminal.progress({ export: { label: 'exporting', amount: items('line') } });
        const content = ndjson(store, (done, all) => progress('export', done, all));
        if (to === '-') return await terminal.stream(content, pauses);
        await writeFiles([{ path: to, content }], pauses);
        const took = performance.now() - started;
        terminal.summary({ to, store: storePath, records, accounts, milliseconds: Math.round(took) }, [
          `exported ${storePath} to ${to} in ${seconds(took)}`,
          `  records   ${number(records)}`,
          `  accounts  ${number(accounts)}`,
          'to restore it into another store:',
          `next: ${await terminal.command('import', { '--store': 'copy.db' }, [to])}`,
        ]);
      } catch (error) {
        throw toFailure(storePath, error);
      } finally {
        store.close();
      }
    });
  declareTableExports(group, terminal);
}

/** Rejects names such as `store.ndjson.gz`: the output is not compressed. */
function plainFile(text: string): string {
  if (/\.(gz|zst|bz2|xz)$/i.test(text)) {
    const ending = /\.\w+$/.exec(text)?.[0] ?? '';
    const reason = `because the export is not compressed; to compress it, use --to - | gzip`;
    throw new InvalidArgumentError(`Expected a name that does not end in ${ending}, ${reason}.`);
  }
  return path(text);
}

function overwritesStore(file: string): Failure {
  return new Failure('usage', `${file} is the store itself`, {
    expected: 'another file for the export',
    found: 'the store',
    hint: 'name another file with --to',
  });
}
