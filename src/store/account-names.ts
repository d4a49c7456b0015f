import { Failure } from '../contract/failure.ts';
import type { Connection } from './connection.ts';

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

/**
 * Returns what a name on a command line can mean, the likely meaning first. Some services list handles that begin with `@`, so
 * `@nina_k` also is the account `@nina_k` if no account is called `nina_k`.
 */
export function namesMeantBy(text: string): readonly AccountName[] {
  const name = parseAccountName(text);
  return name.handle === text || name.handle === undefined ? [name] : [name, { handle: text, stableId: undefined }];
}

interface Found {
  readonly screen_name: string;
  readonly stable_id: string | null;
}

/**
 * Returns the screen names of the account with a name: its handle in upper or lower case, its stable id, or a former
 * handle. Two names that differ only in case are one account.
 * @throws Failure ambiguous-account if several accounts have or had that name
 */
export function accountsNamed(database: Connection, text: string): readonly string[] {
  for (const name of namesMeantBy(text)) {
    const found = accountsOf(database, name, text);
    if (found.length > 0) return found;
  }
  return [];
}

/** @param text the name as the user wrote it */
function accountsOf(database: Connection, { handle, stableId }: AccountName, text: string): readonly string[] {
  const select = 'SELECT screen_name, stable_id FROM account';
  const byHandle = database.prepare<[string | null], Found>(`${select} WHERE screen_name = ? COLLATE NOCASE`).all(handle ?? null);
  const byId = database.prepare<[string | null], Found>(`${select} WHERE stable_id = ?`).all(stableId ?? null);
  const isHandleOnly = stableId === undefined && byHandle.length > 0;
  const byFormerHandle = isHandleOnly
    ? []
    : database
        .prepare<[string | null], Found>(`${select} WHERE id IN (SELECT account FROM former_handle WHERE handle = ?)`)
        .all(handle ?? null);
  const found = new Map([...byHandle, ...byId, ...byFormerHandle].map((account) => [account.screen_name, account]));
  const isOne = new Set([...found.keys()].map((name) => name.toLowerCase())).size <= 1;
  if (isOne) return [...found.keys()];
  const choices = [...found.values()].map(({ screen_name, stable_id }) => (stable_id === null ? `@${screen_name}` : `id:${stable_id}`));
  throw new Failure('ambiguous-account', `several accounts have or had the name ${text}`, {
    place: { file: database.path },
    expected: 'the name of one account',
    found: [...found.keys()].join(', '),
    hint: `name one account: ${choices.join(', ')}`,
  });
}
