import type { Values } from '../command-line/commands.ts';
import { plural } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { endExclusions, exclusionsOf, type NamedExclusion } from '../store/exclusions/named-exclusions.ts';
import type { Terminal } from '../terminal/terminal.ts';

export async function runExclusions(terminal: Terminal, { account: names, end: isEnded, store }: Values<'exclusions'>): Promise<void> {
  if (isEnded && names.length === 0) throw nobody();
  const exclusions = isEnded ? await endExclusions(store, names) : exclusionsOf(store, names);
  const heading = isEnded ? `ended ${plural(exclusions.length, 'exclusion')}` : plural(exclusions.length, 'exclusion');
  terminal.summary({ store, ended: isEnded, results: exclusions.map(jsonOf) }, [
    `${heading} in ${store}`,
    ...exclusions.map(line),
    isEnded && 'next: import or observe the account again (a mirror needs --full); the next publish of pages needs --replace',
  ]);
}

function line({ names, excluded_at, handles, stable_ids, records, isErased }: NamedExclusion): string {
  const removed = records.length === 0 ? [] : [`the ids of ${plural(records.length, 'removed record')}`];
  const keys = [plural(handles.length, 'handle'), plural(stable_ids.length, 'stable id'), ...removed];
  return `  ${excluded_at}  ${names.length === 0 ? '' : `${names.join(', ')}: `}${keys.join(', ')}${isErased ? '' : '; remove it again to erase its bytes from the file'}`;
}

function jsonOf({ names, excluded_at, handles, stable_ids, records, isErased }: NamedExclusion): object {
  return { ...(names.length === 0 ? {} : { names }), excluded_at, handles, stable_ids, record_ids: records, erased: isErased };
}

function nobody(): Failure {
  return new Failure('usage', 'no account is named', {
    place: { field: '--end' },
    expected: 'a handle or a stable id after the command',
    found: 'no account',
    hint: hint`name the accounts whose exclusion ends, for example ${suggested('exclusions', { '--end': true }, ['nina_k'])}`,
  });
}
