import type { Network } from '../diff/diff-html.ts';
import { AccountFold } from '../observe/fold.ts';
import { storedProfile } from '../observe/profile-pool.ts';
import { type StringPool, textAt } from '../observe/string-pool.ts';
import type { StoredVersions } from '../store/stored-versions.ts';
import { encodeChanges } from './folded-changes.ts';
import type { ShardRow } from './shard-row.ts';

/** Where the texts of rows are, and where the changes go. */
export interface FoldTexts {
  /** The files of the shards and the pool, by their numbers. */
  readonly descriptors: readonly number[];
  readonly pool: StringPool;
}

/**
 * Folds the accounts of one partition one after another. Yields each row with the place of its changes. Consecutive equal profiles of
 * one account get the same place.
 * @param rows sorted by account, then by time
 * @param stored the accounts in the store; undefined if there are none
 */
export function* foldAccounts(
  rows: Iterable<ShardRow>,
  { descriptors, pool }: FoldTexts,
  network: Network,
  stored: StoredVersions | undefined,
): Generator<ShardRow> {
  let fold = new AccountFold();
  let [account, lastPlace, place, text] = [-1, 0, 0, ''];
  for (const row of rows) {
    const { instant } = row;
    const isNew = row.account !== account;
    const newText = !isNew && row.profile === lastPlace ? text : textAt(descriptors, row.profile);
    lastPlace = row.profile;
    if (!isNew && newText === text) {
      fold.observe(instant);
      yield { ...row, profile: place };
      continue;
    }
    const { profile } = storedProfile(newText);
    if (isNew) fold = new AccountFold(stored?.of(profile, instant));
    [account, place, text] = [row.account, row.profile, newText];
    const found = fold.add({ instant, profile }, network);
    yield found.length === 0 ? row : { ...row, changes: pool.append(encodeChanges(found)) };
  }
}
