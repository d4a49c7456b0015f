import { Option } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import { type ChangeRecord, DATA_TYPES } from '../contract/record.ts';
import { plural, type Terminal } from '../terminal.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';

/** How many names are suggested for one that is not there. */
const SUGGESTED = 3;
const INDENT = '  ';

export function declareHistory(program: Program, terminal: Terminal): void {
  program
    .command('history')
    .summary("show one account's changes, newest first")
    .description('Shows what changed in one profile, newest first: what was removed as [-old-], what was added as {+new+}.')
    .argument('<screen_name>', 'the account, with or without an @')
    .addOption(new Option('--field <type>', 'the changes of one field alone').env('PALIMPSEST_FIELD').choices(DATA_TYPES))
    .addOption(new Option('--store <file>', 'the store').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('--quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest history jack', 'every change of every field'],
        ['palimpsest history jack --field Bio | less -R', 'one field, page by page'],
      ),
    )
    .action(async (name, options) => {
      terminal.setOutput(options);
      const [{ Store }, { toFailure: worded }, { suggest: likest }, { markedChange }] = await Promise.all([
        import('../store/store.ts'),
        import('../store/database.ts'),
        import('../history/suggest.ts'),
        import('../history/marked-change.ts'),
      ]);
      const store = Store.open(options.store);
      try {
        const history = store.history(name) ?? store.history(name.replace(/^@/, ''));
        if (history === undefined) throw unknown(name, likest(name.replace(/^@/, ''), store.screenNames(), SUGGESTED), options.store);
        const texts = new Map(history.records.map((record) => [record.id, record.text]));
        const records = history.records.filter(({ data_type }) => options.field === undefined || data_type === options.field);
        terminal.summary({ screen_name: history.screen_name, records }, [
          `${history.screen_name}: ${plural(records.length, 'change')}${options.field === undefined ? '' : ` of ${options.field}`}`,
          ...records.flatMap((record) => [
            '',
            heading(record),
            ...markedChange(
              record.data_type,
              record.previous === null ? undefined : texts.get(record.previous),
              record.text,
              terminal.columns - INDENT.length,
              terminal.hasColor,
            ).map((line) => ({ verbatim: INDENT + line })),
          ]),
        ]);
      } catch (error) {
        throw worded(options.store, error);
      } finally {
        store.close();
      }
    });
}

function heading({ data_type, previous, first_encountered_date, web_archive_url, id }: ChangeRecord): string {
  const time = `${first_encountered_date.slice(0, 10)} ${first_encountered_date.slice(11, 19)}`;
  const kind = previous === null ? ', first seen' : '';
  const archive = web_archive_url ? `  ${web_archive_url}` : '';
  return `${time}  ${data_type}${kind}  #${id}${archive}`;
}

function unknown(name: string, likely: readonly string[], store: string): Failure {
  return new Failure('no-account', `there is no account ${name} in ${store}`, {
    place: { file: store },
    expected: 'the screen name of an account in the store',
    found: name,
    hint: likely.length === 0 ? 'look at /rest/account/ for the names there are' : `did you mean ${likely.join(', ')}?`,
  });
}
