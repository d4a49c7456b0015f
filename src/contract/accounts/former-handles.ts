import type { AccountEntry, FormerHandle } from './account-state.ts';

/** Bluesky shows this in place of a handle that it cannot verify, so it identifies nobody. */
export const UNVERIFIED_HANDLE = 'handle.invalid';

type NamedAccount = Pick<AccountEntry, 'screen_name' | 'stable_id' | 'former_handles'>;

/**
 * Returns the handles that an account had, sorted by time. The present one comes last, with an infinite time. Left out are the
 * names that the store gives to an account without a known handle: its stable id, or a handle that another account took, with
 * `~` and more.
 */
export function usedHandles({ screen_name, stable_id, former_handles }: NamedAccount): FormerHandle[] {
  const isLost = ({ handle, seen_to }: FormerHandle) =>
    handle.includes('~') && former_handles.some((lost) => lost.seen_to <= seen_to && handle.startsWith(`${lost.handle}~`));
  const isUsed = ({ handle }: FormerHandle) => handle !== UNVERIFIED_HANDLE && handle.replace(/~+$/, '') !== stable_id;
  const all = [...former_handles, { handle: screen_name, seen_to: Number.POSITIVE_INFINITY }];
  const used = all.filter((one) => isUsed(one) && !isLost(one));
  // a source can show one handle twice
  return used.filter(({ handle }, index) => handle !== used[index + 1]?.handle);
}

/** Returns the handles that an account had, and does not have now, sorted by time. */
export function formerHandlesOf(account: NamedAccount): FormerHandle[] {
  return usedHandles(account).filter(({ handle }) => handle !== account.screen_name);
}
