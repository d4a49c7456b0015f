import { openRemote, type RemoteOptions } from '../storage/remote.ts';
import type { Target } from '../storage/target.ts';
import type { Version } from './catalog.ts';
import { CatalogObject } from './catalog-object.ts';

/**
 * Returns the versions that a target keeps, newest first; empty if it has no store.
 * @throws Failure not-ours, target-failed, target-denied, stopped
 */
export async function listVersions(target: Target, options: RemoteOptions): Promise<readonly Version[]> {
  const catalog = await new CatalogObject(openRemote(target, options)).read();
  return (catalog?.versions ?? []).toReversed();
}
