import type { AccountEntry } from '../contract/accounts/account-entry.ts';
import type { AccountNames } from '../store/accounts/account-reader.ts';
import type { Store } from '../store/store.ts';

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
export function matcher(text: string): (names: AccountNames) => boolean {
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
