import type { Values } from '../command-line/commands.ts';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { allowAccounts, exclusionsOf, type NamedExclusion } from '../store/exclusions/allow.ts';
import { plural } from '../terminal/amounts.ts';
import type { Terminal } from '../terminal/terminal.ts';

export async function runExclusions(terminal: Terminal, { account: names, allow: isAllowed, store }: Values<'exclusions'>): Promise<void> {
  if (isAllowed && names.length === 0) throw nobody();
  const exclusions = isAllowed ? await allowAccounts(store, names) : exclusionsOf(store, names);
  const heading = isAllowed ? `ended ${plural(exclusions.length, 'exclusion')}` : plural(exclusions.length, 'exclusion');
  terminal.summary({ store, allowed: isAllowed, exclusions: exclusions.map(jsonOf) }, [
    `${heading} in ${store}`,
    ...exclusions.map(line),
    ...(isAllowed ? ['next: import or observe the account again; a mirror needs --full'] : []),
  ]);
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
