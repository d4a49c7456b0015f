import { Option } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import { type ChangeRecord, DATA_TYPES } from '../contract/record.ts';
import { plural } from '../terminal/amounts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';

/** The maximum number of similar names that are suggested for an unknown name. */
const MAX_SUGGESTIONS = 3;
const INDENT = '  ';

export function declareHistory(program: Program, terminal: Terminal): void {
  program
    .command('history')
    .summary("show one account's changes, newest first")
    .description('Shows the changes of one profile, newest first. Removed text is shown as [-old-], added text as {+new+}.')
    .argument('<screen_name>', 'the handle of the account, with or without @')
    .addOption(new Option('--field <type>', 'show only the changes of this field').env('PALIMPSEST_FIELD').choices(DATA_TYPES))
    .addOption(new Option('--store <file>', 'the store').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest history jack', 'every change of every field'],
        ['palimpsest history jack --field Bio | less -R', 'the changes of one field, in a pager'],
      ),
    )
    .action(async (name, options) => {
      terminal.setOutput(options);
      const [{ Store }, { toFailure }, { suggest }, { markedChange }] = await Promise.all([
        import('../store/store.ts'),
        import('../store/store-error.ts'),
        import('../history/suggest.ts'),
        import('../history/marked-change.ts'),
      ]);
      const store = Store.open(options.store);
      try {
        const history = store.history(name) ?? store.history(name.replace(/^@/, ''));
        if (history === undefined)
          throw unknown(name, suggest(name.replace(/^@/, ''), store.screenNames(), MAX_SUGGESTIONS), options.store);
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
        throw toFailure(options.store, error);
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

function unknown(name: string, similar: readonly string[], store: string): Failure {
  return new Failure('no-account', `there is no account ${name} in ${store}`, {
    place: { file: store },
    expected: 'the handle of an account in the store',
    found: name,
    hint: similar.length === 0 ? 'look at /rest/account/ for the handles of all accounts' : `did you mean ${similar.join(', ')}?`,
  });
}
