import { Option } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import type { NamedExclusion } from '../store/allow.ts';
import { plural } from '../terminal/amounts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';

export function declareExclusions(program: Program, terminal: Terminal): void {
  program
    .command('exclusions')
    .summary('list the exclusions of removed accounts, or end them')
    .description(
      'Lists the exclusions that palimpsest remove made: sources cannot bring these accounts back. The store has only hashes of ' +
        'the names, so the list shows dates and numbers. Name an account to see whether it is excluded.',
    )
    .argument('[account...]', 'show only the exclusions of these handles or stable ids')
    .addOption(new Option('--store <file>', 'the store').env('PALIMPSEST_STORE').argParser(path).default(DEFAULT_STORE))
    .addOption(new Option('--allow', 'end the exclusion of the named accounts').env('PALIMPSEST_ALLOW'))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest exclusions', 'list all exclusions, without names'],
        ['palimpsest exclusions nina_k', 'show whether that handle is excluded'],
        ['palimpsest exclusions nina_k --allow', 'let sources bring that account back'],
      ),
    )
    .action(async (names, options) => {
      terminal.setOutput(options);
      const { allowAccounts, exclusionsOf } = await import('../store/allow.ts');
      const { store } = options;
      const isAllowed = options.allow ?? false;
      if (isAllowed && names.length === 0) throw nobody();
      const exclusions = isAllowed ? await allowAccounts(store, names) : exclusionsOf(store, names);
      const heading = isAllowed ? `ended ${plural(exclusions.length, 'exclusion')}` : plural(exclusions.length, 'exclusion');
      terminal.summary({ store, allowed: isAllowed, exclusions: exclusions.map(jsonOf) }, [
        `${heading} in ${store}`,
        ...exclusions.map(line),
        ...(isAllowed ? ['next: import or observe the account again; a mirror needs --full'] : []),
      ]);
    });
}

function line({ names, excluded_at, handles, stable_ids, records, isErased }: NamedExclusion): string {
  const removed = records.length === 0 ? [] : [`the ids of ${plural(records.length, 'removed record')}`];
  const keys = [plural(handles.length, 'handle'), plural(stable_ids.length, 'stable id'), ...removed];
  return `  ${excluded_at}  ${names.length === 0 ? '' : `${names.join(', ')}: `}${keys.join(', ')}${isErased ? '' : '; remove it again to erase its bytes from the file'}`;
}

function jsonOf({ names, excluded_at, handles, stable_ids, records, isErased }: NamedExclusion): object {
  return { ...(names.length === 0 ? {} : { names }), excluded_at, handles, stable_ids, records, erased: isErased };
}

function nobody(): Failure {
  return new Failure('usage', 'no account is named', {
    place: { field: '--allow' },
    expected: 'a handle or a stable id after the command',
    found: 'no account',
    hint: hint`name the accounts to allow again, for example ${suggested('exclusions', { '--allow': true }, ['nina_k'])}`,
  });
}
