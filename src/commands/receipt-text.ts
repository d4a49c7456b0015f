import { number, plural } from '../contract/amounts.ts';
import type { CopyCheck } from '../removal/copy-search.ts';

interface PlaceCheck extends CopyCheck {
  readonly is_found: boolean;
  /** Whether it was searched completely. */
  readonly is_searched: boolean;
}

/** What a removal did, and what a search of the copies found. It has no data of the account but the names that the user gave. */
export interface Receipt {
  readonly made_at: string;
  readonly names: readonly string[];
  readonly store: string;
  /** The times of the exclusions. */
  readonly excluded_at: readonly string[];
  /** Whether no byte of the accounts is left in the file of the store. */
  readonly erased: boolean;
  /** Whether a handle of the accounts is known only as a hash. */
  readonly has_unknown_handle: boolean;
  readonly removed: { readonly accounts: number; readonly records: number };
  /** The names of accounts that an earlier run removed. */
  readonly known: readonly string[];
  /** The store, the files beside it, and the copies that were named. */
  readonly checks: readonly PlaceCheck[];
  /** How many of these have a removed account. */
  readonly found_places: number;
  /** How many of these were not searched completely. */
  readonly unsearched_places: number;
  readonly remaining: readonly { readonly copy: string; readonly is_found: boolean; readonly command: string | null }[];
  readonly look_at: readonly string[];
}

export const RECEIPT_START = 'Receipt for the removal of ';

export function receiptText(receipt: Receipt): string {
  const { names, store, removed, known, excluded_at, erased } = receipt;
  return [
    `${RECEIPT_START}${names.join(', ')}, made by palimpsest at ${receipt.made_at}`,
    '',
    ...(removed.accounts === 0 && known.length > 0
      ? []
      : [`${store}: ${plural(removed.accounts, 'account')} with ${plural(removed.records, 'record')} removed by this run`]),
    ...(known.length === 0 ? [] : [`${store}: removed by an earlier run: ${known.join(', ')}`]),
    `excluded since: ${excluded_at.join(', ') || 'never'}`,
    `bytes erased from the file of the store: ${erased ? 'yes' : 'no'}`,
    '',
    'Searched:',
    ...checkLines(receipt),
    '',
    ...(receipt.remaining.length === 0 ? [] : ['Remaining to be done:', ...receipt.remaining.map(remainingLine), '']),
    'Only a person can search:',
    ...receipt.look_at.map((place) => `  ${place}`),
    '',
  ].join('\n');
}

function remainingLine({ copy, is_found: isFound, command }: Receipt['remaining'][number]): string {
  const deletion = 'delete it, or the account in it';
  return `  ${copy}: ${command ?? (isFound ? deletion : `search it yourself; if it has the account, ${deletion}`)}`;
}

/** Returns what was found in each place, and the numbers of places that have the account and that were not searched completely. */
export function checkLines(receipt: Receipt): string[] {
  const { found_places: found, unsearched_places: unsearched } = receipt;
  const lines = receipt.checks.map(({ place, form, files, with_account: accounts, with_handle: handles, unread, is_found: isFound }) => {
    const parts = [
      ...(accounts.length === 0 ? [] : [`the account is in ${number(accounts.length)}, first ${accounts[0]}`]),
      ...(handles.length === 0
        ? []
        : [`a name is in ${number(handles.length)}${isFound ? `, first ${handles[0]}` : ', as other accounts mention it'}`]),
      ...(unread.length === 0 ? [] : [`${number(unread.length)} cannot be searched, first ${unread[0]?.path}: ${unread[0]?.reason}`]),
      ...(receipt.has_unknown_handle && form === 'file'
        ? ['a handle of the account is known only as a hash: name it, too, to search for its text']
        : []),
    ];
    return `  checked   ${place}: ${plural(files, 'file')}; ${parts.join('; ') || 'nothing found'}`;
  });
  const end = `${number(unsearched)} ${unsearched === 1 ? 'was' : 'were'} not searched completely`;
  return [...lines, `${plural(found, 'place')} ${found === 1 ? 'has' : 'have'} it, ${end}`];
}
