import { encodeAccountState } from '../contract/accounts/account-state.ts';
import { encodeExclusion } from '../contract/accounts/exclusion.ts';
import type { Place } from '../contract/failure.ts';
import type { InputError, Item } from '../sources/source.ts';
import type { Conflict, Namesake } from '../store/writing/outcome.ts';

/** An item that a conflict can leave out of the store. */
export type Conflicting = Extract<Item, { readonly kind: 'record' | 'account' | 'state' | 'exclusion' }>;

/** The maximum number of listed conflicts. All are counted. */
const MAX_LISTED = 100;

/** Two profiles for one screen name, of which the store has one. */
export interface AccountConflict {
  readonly account: string;
  /** Whether the profiles are of two accounts. Otherwise they are two versions of one profile. */
  readonly two_accounts: boolean;
  /** The creation date of the account that the store has, and of the other; null if unknown. Only of two accounts. */
  readonly kept_creation_date?: string | null | undefined;
  readonly left_out_creation_date?: string | null | undefined;
  /** The place of the profile that was read last of the two. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly field: string | undefined;
}

/** Counts the conflicts between profiles in an import, and lists the first of them. Everything else is imported. */
export class AccountConflicts {
  readonly listed: AccountConflict[] = [];
  count = 0;

  add({ namesake }: Conflict, item: Conflicting): void {
    this.count += 1;
    if (this.listed.length >= MAX_LISTED) return;
    const { file, line, field }: Place = item.place;
    this.listed.push({
      account: nameIn(item),
      two_accounts: namesake !== undefined,
      kept_creation_date: namesake?.kept,
      left_out_creation_date: namesake?.leftOut,
      file,
      line,
      field,
    });
  }
}

/** The input error for a conflict that a rejects file takes. */
export function conflictError(conflict: Conflict, item: Conflicting): InputError {
  const { subject, stored, found, isNew, hint, namesake } = conflict;
  if (namesake !== undefined) return namesakeError(namesake, item);
  return {
    kind: 'error',
    code: 'conflict',
    place: item.place,
    expected: isNew ? stored : `${subject} as stored earlier: ${stored}`,
    found: isNew ? found : `another version: ${found}`,
    hint: hint ?? "keep the store's version with --on-conflict keep, or take the new one with --on-conflict replace",
    item: valueIn(item),
  };
}

/** The input error for one of two accounts with the same screen name. */
function namesakeError({ kept, leftOut, replaced }: Namesake, item: Conflicting): InputError {
  return {
    kind: 'error',
    code: 'conflict',
    place: item.place,
    expected: `one account with the screen name ${nameIn(item)}: the store has the one ${createdAt(kept)}`,
    found: `a second account ${nameIn(item)}, ${createdAt(leftOut)}`,
    item: replaced ?? valueIn(item),
  };
}

export function createdAt(date: string | null | undefined): string {
  return date === null || date === undefined ? 'without a creation date' : `created ${date}`;
}

function nameIn(item: Conflicting): string {
  switch (item.kind) {
    case 'record':
      return item.record.account;
    case 'account':
      return item.account.screen_name;
    case 'state':
      return item.state.screen_name;
    case 'exclusion':
      return item.exclusion.handles[0] ?? '';
  }
}

function valueIn(item: Conflicting): unknown {
  switch (item.kind) {
    case 'record':
      return item.record;
    case 'account':
      return item.account;
    case 'state':
      return JSON.parse(encodeAccountState(item.state));
    case 'exclusion':
      return JSON.parse(encodeExclusion(item.exclusion));
  }
}
