import type { AccountEntry } from '../contract/accounts/account-state.ts';
import { handleKey } from '../contract/accounts/handle.ts';
import { number, plural } from '../contract/amounts.ts';
import { closestNames } from '../contract/closest-names.ts';
import { Failure } from '../contract/failure.ts';
import { type Hint, hint, suggested } from '../contract/hint.ts';
import type { AccountNames } from '../store/accounts/account-reader.ts';
import type { FormerHolder, FoundAccount } from '../store/accounts/account-search.ts';
import type { Store } from '../store/store.ts';

/** The maximum number of accounts that are suggested. */
const MAX_CANDIDATES = 5;
/** The maximum number of similar handles that are suggested. */
const MAX_SIMILAR = 3;

export interface IdentifiedAccount {
  readonly entry: AccountEntry;
  readonly foundBy: FoundAccount['by'] | 'prefix';
  /** Other accounts that had the name as their handle, the last one first. */
  readonly otherHolders: readonly FormerHolder[];
}

/**
 * Finds the account that a name identifies: a handle with or without `@`, a former handle, a stable id, or the beginning
 * of the handle of one account.
 * @throws Failure no-account, with the accounts that the name could mean
 */
export function findAccount(store: Store, name: string): IdentifiedAccount {
  const [search, entries] = [store.accountSearch(), store.accountReader()];
  const handle = name.replace(/^@/, '');
  const prefixed = handle === '' ? [] : search.withPrefix(handle);
  const [only] = prefixed;
  const found: { readonly screen_name: string; readonly by: IdentifiedAccount['foundBy'] } | undefined =
    search.find(name) ??
    search.find(handle) ??
    (only !== undefined && prefixed.length === 1 ? { screen_name: only, by: 'prefix' } : undefined);
  const entry = found === undefined ? undefined : entries.entryOf(found.screen_name);
  if (found === undefined || entry === undefined) throw unknown(store, name, prefixed.length);
  const otherHolders = search.formerHolders(handle).filter(({ screen_name }) => screen_name !== found.screen_name);
  return { entry, foundBy: found.by, otherHolders };
}

/** Returns a hint with the accounts that an unknown name could mean. */
export function similarAccountsHint(store: Store, name: string): Hint {
  const handle = name.replace(/^@/, '');
  const prefixed = handle === '' ? [] : store.accountSearch().withPrefix(handle);
  const candidates =
    prefixed.length > 0
      ? { handles: likelyFirst(prefixed, handle).slice(0, MAX_CANDIDATES), count: prefixed.length }
      : similarTo(store, handle);
  const entries = store.accountReader();
  const shown = candidates.handles.flatMap((candidate) => entries.entryOf(candidate) ?? []);
  return hintFor(
    shown.map((candidate) => described(candidate, handle)),
    candidates.count - shown.length,
    prefixed.length > 0 ? `@${handle}` : name,
  );
}

/** Puts the handles first that are the typed name on a server, such as `nina_k@mastodon.social`. */
function likelyFirst(handles: readonly string[], typed: string): readonly string[] {
  const start = `${handleKey(typed)}@`;
  const isLikely = (handle: string) => handleKey(handle).startsWith(start);
  return [...handles.filter(isLikely), ...handles.filter((handle) => !isLikely(handle))];
}

/** @param prefixed how many accounts have a handle or former handle that begins with the name */
function unknown(store: Store, name: string, prefixed: number): Failure {
  const message =
    prefixed > 0
      ? `${plural(prefixed, 'account')} in ${store.path} match ${name}`
      : name.trim() === ''
        ? 'the name of the account is empty'
        : `there is no account ${name} in ${store.path}`;
  return new Failure('no-account', message, {
    place: { file: store.path },
    expected: 'a handle, a former handle, a stable id, or the beginning of one handle',
    found: name.trim() === '' ? 'an empty name' : name,
    hint: similarAccountsHint(store, name),
  });
}

interface Candidates {
  /** The first handles. */
  readonly handles: readonly string[];
  /** The number of all. */
  readonly count: number;
}

/** Returns the handles of accounts with such a text in their names. If there are none, returns the most similar handles. */
function similarTo(store: Store, text: string): Candidates {
  if (text.trim() === '') return { handles: [], count: 0 };
  const [matches, handles] = [matcher(text), [] as string[]];
  let count = 0;
  for (const names of store.accountReader().names('handle')) {
    if (!matches(names)) continue;
    count += 1;
    if (handles.length < MAX_CANDIDATES) handles.push(names.screen_name);
  }
  if (count > 0) return { handles, count };
  const similar = closestNames(text, allHandles(store), MAX_SIMILAR);
  return { handles: similar, count: similar.length };
}

function* allHandles(store: Store): Generator<string> {
  for (const { screen_name } of store.accountReader().names('handle')) yield screen_name;
}

/** @param search lists all candidates with `accounts` */
function hintFor(candidates: readonly string[], more: number, search: string): Hint {
  if (candidates.length === 0) return hint`run ${suggested('accounts')} to list all accounts`;
  if (more > 0) return [`did you mean ${candidates.join(', ')}? To list ${number(more)} more, run `, suggested('accounts', {}, [search])];
  const last = candidates.at(-1) ?? '';
  return `did you mean ${candidates.length === 1 ? last : `${candidates.slice(0, -1).join(', ')} or ${last}`}?`;
}

/** Returns what distinguishes an account from others with a similar name. */
function described({ screen_name, display_name, former_handles, records, last_record_date }: AccountEntry, typed: string): string {
  const start = typed.toLowerCase();
  const former = former_handles.find(({ handle }) => handle.toLowerCase().startsWith(start));
  const parts = [
    display_name === '' || display_name === screen_name ? [] : [display_name.replace(/\s+/g, ' ')],
    former === undefined || screen_name.toLowerCase().startsWith(start) ? [] : [`formerly @${former.handle}`],
    [plural(records, 'record')],
    last_record_date === null ? [] : [`last on ${last_record_date.slice(0, 10)}`],
  ];
  return `@${screen_name} (${parts.flat().join(', ')})`;
}

/**
 * Yields the accounts that match a text, sorted by handle.
 * @param text undefined: all accounts. `@rep`: accounts with a handle or former handle that begins with `rep`, found by an
 * index. Other text: accounts of which {@link matcher} accepts the names.
 */
export function* matchingAccounts(store: Store, text: string | undefined): Generator<AccountEntry> {
  const entries = store.accountReader();
  if (text?.startsWith('@')) {
    for (const name of store.accountSearch().withPrefix(text.slice(1))) {
      const entry = entries.entryOf(name);
      if (entry !== undefined) yield entry;
    }
    return;
  }
  const matches = matcher(text ?? '');
  for (const names of entries.names('handle')) if (matches(names)) yield entries.entry(names);
}

/**
 * Returns a test whether each word of a text occurs in the handle, a former handle or the display name of an account.
 * Case, accents and letter styles are ignored. A stable id must be equal to the text.
 */
function matcher(text: string): (names: AccountNames) => boolean {
  const words = folded(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  return ({ screen_name, display_name, former_handles, stable_id }) => {
    if (words.length === 0 || stable_id === text) return true;
    const all = [screen_name, display_name, ...former_handles.map(({ handle }) => handle)].map(folded);
    return words.every((word) => all.some((name) => name.includes(word)));
  };
}

/** Returns a text without case, accents and letter styles: `Ç`, `c` and `𝐜` become equal. */
function folded(text: string): string {
  return /^[\u0020-\u007e]*$/.test(text) ? text.toLowerCase() : text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
