import { type Exclusion, excludedAccounts } from '../../contract/accounts/exclusion.ts';
import { forEachLimit } from '../../storage/concurrency-limit.ts';
import type { Remote } from '../../storage/remote.ts';
import { pagePath } from '../../tree/layout.ts';
import { readVerified, type VerifiedTree } from '../../tree/verified-tree.ts';
import { decompressedPage } from '../objects/headers.ts';
import { explainsDeletes, type Limits, mostDeletes, type Removal } from '../planning/guards.ts';
import type { Plan } from '../planning/plan.ts';
import type { Comparison, FoundTree } from '../planning/tree-comparison.ts';

/** Returns the removal from which the deletes of a plan follow, if they are more than the limit allows. */
export async function removalBehind(
  remote: Remote,
  { build, found, concurrency }: Comparison,
  exclusions: readonly Exclusion[],
  plan: Plan,
  limits: Pick<Limits, 'maxDelete'>,
): Promise<Removal | undefined> {
  if (plan.deletes <= mostDeletes(plan, limits)) return undefined;
  const removal = await removedAtTarget(remote, found, exclusions, concurrency);
  return explainsDeletes(removal, build, found.trees, plan.browse) ? removal : undefined;
}

/** Reads the account pages at a target, and counts the accounts that were removed from the store, and their records. */
async function removedAtTarget(
  remote: Remote,
  { digests }: FoundTree,
  exclusions: readonly Exclusion[],
  concurrency: number,
): Promise<Removal> {
  const accountsOn = excludedAccounts(exclusions);
  // a page can show an account that an interrupted run has moved to another one
  const found = new Map<string, number>();
  const pages = exclusions.length === 0 ? [] : Array.from({ length: digests.pages.account }, (_, index) => index + 1);
  await forEachLimit(pages, concurrency, async (page) => {
    const path = pagePath('account', page);
    const fetched = await remote.get(path);
    if (fetched === undefined) return;
    for (const { screen_name, records } of accountsOn(JSON.parse(decompressedPage(path, fetched).toString()))) {
      found.set(screen_name, Math.max(found.get(screen_name) ?? 0, records.length));
    }
  });
  return { accounts: found.size, records: [...found.values()].reduce((sum, records) => sum + records, 0) };
}

/**
 * Counts the accounts on the account pages of a tree that were removed from the store.
 * @throws Failure tree-edited
 */
export function countRemoved(tree: VerifiedTree, exclusions: readonly Exclusion[]): number {
  if (exclusions.length === 0) return 0;
  const accountsOn = excludedAccounts(exclusions);
  const names = new Set<string>();
  for (let page = 1; page <= tree.digests.pages.account; page += 1) {
    const path = pagePath('account', page);
    const bytes = readVerified(tree, { path, digest: tree.digests.get(path) ?? '' });
    for (const { screen_name } of accountsOn(JSON.parse(bytes.toString()))) names.add(screen_name);
  }
  return names.size;
}
