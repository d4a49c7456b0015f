import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import { number, seconds, type Terminal } from '../terminal.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';

/** Declares the group `export`: one command a format. */
export function declareExport(program: Program, terminal: Terminal): void {
  const group = program.command('export').summary('write all that the store holds as one file');
  group
    .command('ndjson')
    .summary('write all that the store holds as lines of JSON')
    .description(
      'Writes all that the store holds as lines of JSON (docs/export.md): every record, and of every account its profile, its stable id, ' +
        'its former handles and up to when it was observed. palimpsest import reads it back without loss.',
    )
    .addOption(
      new Option('--to <file>', 'the file to write; - for standard output').env('PALIMPSEST_TO').argParser(plainFile).makeOptionMandatory(),
    )
    .addOption(new Option('--store <file>', 'the store').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('--quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest export ndjson --to store.ndjson', 'the whole store in one file'],
        ['palimpsest export ndjson --to - | gzip > store.ndjson.gz', 'compressed'],
        ['palimpsest import store.ndjson --store copy.db', 'and back'],
      ),
    )
    .action(async ({ to, store: storePath, ...voice }) => {
      terminal.setOutput(voice);
      const [{ Store }, { ndjsonLines }, { isSameFile, pieces, writeLines }, { toFailure: worded }] = await Promise.all([
        import('../store/store.ts'),
        import('../export/ndjson.ts'),
        import('../export/export-file.ts'),
        import('../store/database.ts'),
      ]);
      if (isSameFile(to, storePath)) throw overwritesStore(to);
      const started = performance.now();
      const store = Store.open(storePath);
      try {
        const { records, accounts } = store.revision;
        if (to === '-') {
          for (const piece of pieces(ndjsonLines(store))) terminal.surroundings.stdout.write(piece);
          return;
        }
        writeLines(to, ndjsonLines(store));
        const took = performance.now() - started;
        terminal.summary({ to, store: storePath, records, accounts, milliseconds: Math.round(took) }, [
          `exported ${storePath} to ${to} in ${seconds(took)}`,
          `  records   ${number(records)}`,
          `  accounts  ${number(accounts)}`,
          `next: palimpsest import ${to} --store FILE, where the store is to be`,
        ]);
      } catch (error) {
        throw worded(storePath, error);
      } finally {
        store.close();
      }
    });
}

/** A name that promises gzip would not be kept. */
function plainFile(text: string): string {
  if (/\.(gz|zst|bz2|xz)$/i.test(text)) throw new InvalidArgumentError('The file is not compressed. Write to - and pipe it to gzip.');
  return path(text);
}

function overwritesStore(file: string): Failure {
  return new Failure('usage', `${file} is the store itself`, {
    expected: 'another file for the export',
    found: 'the store',
    hint: 'name another file with --to',
  });
}
