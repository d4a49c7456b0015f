import { foldedText, handleKey, isPlainHandle } from '../../contract/accounts/handle.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import type { Connection } from '../database/connection.ts';
import { storedJson } from '../database/store-error.ts';

/** The maximum number of records that are listed. All are counted. */
const MAX_LISTED = 100;

export interface Mentions {
  /** Those that name the server of the handle, or whose account has the same one. */
  readonly certain: number;
  /** Those that name no server, of accounts whose server is unknown. */
  readonly possible: number;
  /** The first of these records, by id. */
  readonly listed: readonly (Pick<ChangeRecord, 'id' | 'account'> & { readonly isCertain: boolean })[];
}

/** A mention: the server of a link before it, the name, and the server after it. */
const MENTION =
  /(?:https?:\/\/([^/\s"'<>]+)\/|(?<![\p{L}\p{N}_@./]))@([\p{L}\p{N}_]+(?:[.-]+[\p{L}\p{N}_]+)*)(?:@([\p{L}\p{N}]+(?:[.-]+[\p{L}\p{N}]+)*))?/gu;

export function findMentions(database: Connection, handles: readonly string[]): Mentions {
  const keys = new Set(handles.map(handleKey));
  const counts = { certain: 0, possible: 0 };
  const listed: Mentions['listed'][number][] = [];
  for (const record of recordsWithNames(database, [...keys].map(nameOf))) {
    const kinds = new Set(mentionsIn(record, keys));
    if (kinds.size === 0) continue;
    const isCertain = kinds.has('certain');
    counts[isCertain ? 'certain' : 'possible'] += 1;
    if (listed.length < MAX_LISTED) listed.push({ id: record.id, account: record.account, isCertain });
  }
  return { ...counts, listed };
}

/** Yields how certain each mention of one of these handles in a record is. A mention without a server means that of the writer. */
export function* mentionsIn(
  { account, text, diff_html }: Pick<ChangeRecord, 'account' | 'text' | 'diff_html'>,
  keys: ReadonlySet<string>,
): Generator<'certain' | 'possible'> {
  const own = serverOf(handleKey(account));
  const withServer = [...keys].filter((key) => serverOf(key) !== undefined);
  for (const [, linked, name = '', written] of foldedText(`${text ?? ''}\n${diff_html}`).matchAll(MENTION)) {
    const server = written ?? linked ?? own;
    if (keys.has(server === undefined ? name : `${name}@${server}`)) yield 'certain';
    else if (server === undefined && withServer.some((key) => nameOf(key) === name)) yield 'possible';
    // a link shows the server of a service whose handles have none
    else if (written === undefined && linked !== undefined && keys.has(name)) yield 'possible';
  }
}

/** Yields the records in which one of these names stands after an `@`. */
function* recordsWithNames(database: Connection, names: readonly string[]): Generator<ChangeRecord> {
  if (names.length === 0) return;
  // SQLite folds only ASCII
  const filter = names.every(isPlainHandle) ? `AND (${names.map(() => 'instr(lower(json), ?) > 0').join(' OR ')})` : '';
  const values = filter === '' ? [] : names.map((name) => `@${name}`);
  const query = `SELECT id, json FROM record WHERE id > ? ${filter} ORDER BY id LIMIT +?`;
  const rows = database.rows<{ readonly id: number; readonly json: string }>(query, [-1, ...values], ({ id }) => [id, ...values]);
  for (const { id, json } of rows) yield storedJson(database.path, `record ${id}`, json);
}

function nameOf(key: string): string {
  return key.replace(/@.*$/s, '');
}

/** Returns the server in a handle such as `nina_k@mastodon.social`; undefined if it has none. */
function serverOf(key: string): string | undefined {
  return /@(.+)$/s.exec(key)?.[1];
}
