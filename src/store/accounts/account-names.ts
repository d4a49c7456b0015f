import { handleKey } from '../../contract/accounts/handle.ts';
import { Failure } from '../../contract/failure.ts';
import type { Connection } from '../database/connection.ts';
import { HandleSpellings } from './handle-spellings.ts';

/** How an account is named on a command line: `@name` is a handle, `id:12` is a stable id, `name` is either. */
export interface AccountName {
  readonly handle: string | undefined;
  readonly stableId: string | undefined;
}

export function parseAccountName(text: string): AccountName {
  if (text.startsWith('id:') && text.length > 3) return { handle: undefined, stableId: text.slice(3) };
  if (text.startsWith('@') && text.length > 1) return { handle: text.slice(1), stableId: undefined };
  return { handle: text, stableId: text };
}

interface Found {
  readonly screen_name: string;
  readonly stable_id: string | null;
}

/**
 * Returns the screen names of the account with a name: its handle in any spelling, its stable id, or a former handle. Screen names
 * that are spellings of one handle are one account.
 * @throws Failure ambiguous-account if several accounts have or had that name
 */
export function accountsNamed(database: Connection, text: string): readonly string[] {
  const { handle, stableId } = parseAccountName(text);
  const spellings = handle === undefined ? [] : new HandleSpellings(database).of(handle);
  const select = 'SELECT screen_name, stable_id FROM account';
  const withHandle = database.prepare<[string], Found>(`${select} WHERE screen_name = ? COLLATE NOCASE`);
  const byHandle = spellings.flatMap((spelling) => withHandle.all(spelling));
  const byId = database.prepare<[string | null], Found>(`${select} WHERE stable_id = ?`).all(stableId ?? null);
  const isHandleOnly = stableId === undefined && byHandle.length > 0;
  const withFormerHandle = database.prepare<[string], Found>(`${select} WHERE id IN (SELECT account FROM former_handle WHERE handle = ?)`);
  const byFormerHandle = isHandleOnly ? [] : spellings.flatMap((spelling) => withFormerHandle.all(spelling));
  const found = new Map([...byHandle, ...byId, ...byFormerHandle].map((account) => [account.screen_name, account]));
  const isOne = new Set([...found.keys()].map(handleKey)).size <= 1;
  if (isOne) return [...found.keys()];
  const choices = [...found.values()].map(({ screen_name, stable_id }) => (stable_id === null ? `@${screen_name}` : `id:${stable_id}`));
  throw new Failure('ambiguous-account', `several accounts have or had the name ${text}`, {
    place: { file: database.path },
    expected: 'the name of one account',
    found: [...found.keys()].join(', '),
    hint: `name one account: ${choices.join(', ')}`,
  });
}
