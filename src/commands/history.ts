import type { Values } from '../command-line/commands.ts';
import { usedHandles } from '../contract/accounts/former-handles.ts';
import { plural } from '../contract/amounts.ts';
import { dateOf, parseInstant, timestampOf } from '../contract/instant.ts';
import type { ChangeRecord } from '../contract/record.ts';
import { findAccount, type IdentifiedAccount } from '../history/find-account.ts';
import { terminalDiff } from '../history/terminal-diff.ts';
import { timeline } from '../history/timeline.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { withStore } from './tree-state.ts';

const INDENT = '  ';

export function runHistory(
  terminal: Terminal,
  { name, field, since = Number.NEGATIVE_INFINITY, limit = Number.POSITIVE_INFINITY, store: storePath }: Values<'history'>,
): void {
  withStore(storePath, (store) => {
    const account = findAccount(store, name);
    const { screen_name, stable_id, display_name, former_handles } = account.entry;
    const all = store.history(screen_name);
    const texts = new Map(all.map((record) => [record.id, record.text]));
    const found = all.filter((record) => (field === undefined || record.data_type === field) && instantOf(record) >= since);
    const records = found.slice(0, limit);
    const older = found.length - records.length;
    const oldest = older > 0 ? instantOf(records.at(-1)) : since;
    const gone = store.goneRecords();
    const result = {
      screen_name,
      stable_id,
      display_name,
      former_handles: former_handles.map(withTime),
      found_by: account.foundBy,
      other_holders: account.otherHolders.map(withTime),
      results: records,
      older,
      gone: records.flatMap(({ id }) => (gone.has(id) ? [{ id, gone_at: gone.get(id) }] : [])),
    };
    terminal.summary(result, [
      `${screen_name}: ${countsOf(found)}${field === undefined ? '' : ` of ${field}`}${since === Number.NEGATIVE_INFINITY ? '' : ` since ${timestampOf(since)}`}`,
      ...explanation(account, name),
      ...account.otherHolders.map((other) => `another account had this handle until ${dateOf(other.seen_to)}: @${other.screen_name}`),
      ...[
        ...timeline(
          records,
          usedHandles(account.entry).filter(({ seen_to }) => seen_to >= oldest && seen_to !== Number.POSITIVE_INFINITY),
        ),
      ].flatMap((entry) =>
        'former' in entry
          ? ['', `${entry.former.handle === screen_name ? '' : 'formerly '}@${entry.former.handle} until ${dateOf(entry.former.seen_to)}`]
          : [
              '',
              heading(entry.record, gone.get(entry.record.id)),
              ...terminalDiff(
                entry.record.data_type,
                entry.record.previous === null ? undefined : texts.get(entry.record.previous),
                entry.record.text,
                terminal.columns - INDENT.length,
                terminal.hasColor,
              ).map((line) => ({ verbatim: INDENT + line })),
            ],
      ),
      ...(older === 0 ? [] : ['', `${plural(older, 'older record')} not shown; raise --limit`]),
    ]);
  });
}

function instantOf(record: ChangeRecord | undefined): number {
  return parseInstant(record?.first_encountered_date ?? '') ?? 0;
}

/** Explains how a name that is not the present handle identified the account. */
function explanation({ entry, foundBy }: IdentifiedAccount, name: string): string[] {
  if (foundBy === 'handle') return [];
  if (foundBy === 'prefix') return [`the only account with a handle that begins with ${name}`];
  return [`${name} is ${foundBy === 'stable-id' ? 'the stable id' : 'a former handle'} of @${entry.screen_name}`];
}

function withTime<T extends { readonly seen_to: number }>(item: T): Omit<T, 'seen_to'> & { readonly seen_to: string } {
  return { ...item, seen_to: timestampOf(item.seen_to) };
}

function heading({ data_type, previous, first_encountered_date, web_archive_url, id }: ChangeRecord, goneAt: string | undefined): string {
  const time = `${first_encountered_date.slice(0, 10)} ${first_encountered_date.slice(11, 19)}`;
  const kind = previous === null ? ', first seen' : '';
  const archive = web_archive_url ? `  ${web_archive_url}` : '';
  const gone = goneAt === undefined ? '' : `  no longer on the service, first noticed on ${goneAt.slice(0, 10)}`;
  return `${time}  ${data_type}${kind}  #${id}${archive}${gone}`;
}

/** Returns numbers with their nouns: `3 changes and 5 first values`. A first value is what a field said when it was first seen. */
function countsOf(records: readonly ChangeRecord[]): string {
  const firstValues = records.filter(({ previous }) => previous === null).length;
  const changes = plural(records.length - firstValues, 'change');
  return firstValues === 0 ? changes : `${changes} and ${plural(firstValues, 'first value')}`;
}
