import type { Exclusion } from '../contract/accounts/exclusion.ts';
import type { OnProgress } from '../contract/event-loop-pauses.ts';
import { openRemote, type Remote, type RemoteOptions } from '../storage/remote.ts';
import { lockTarget, type Target } from '../storage/target.ts';
import { refuseOtherForm } from '../storage/target-form.ts';
import type { Removals } from '../store/published-target.ts';
import { changeVersions, type Memory, type Written } from './change-versions.ts';
import { HEAD } from './commit-format.ts';
import type { AccountsFound } from './find-removed.ts';
import { LiveVersions } from './live-versions.ts';
import { type Found, known, readNewest } from './newest-commit.ts';
import { refuseRemains } from './prune.ts';
import type { KeepPolicy } from './retention.ts';
import { type LocalZip, SITE_KIND, type SiteVersion } from './site-version.ts';
import type { NextList } from './write-commit.ts';

/** The phases of a publish of versions: `send` counts bytes, `check` the versions that are fetched. */
export type VersionsPhase = 'send' | 'check';

export interface SitePublishOptions extends RemoteOptions {
  /** The tree to publish; undefined if only the list of versions changes. */
  readonly zip: LocalZip | undefined;
  /** The version to go back to, or `true` for the one before the current one. */
  readonly rollback: number | true | undefined;
  readonly keep: KeepPolicy;
  /** Whether to check all versions at the target, and to replace those that are damaged. */
  readonly repair: boolean;
  /** Rebuilds a version without the removed accounts. Undefined: it is deleted. */
  readonly rebuild: ((zip: LocalZip, found: AccountsFound) => Promise<LocalZip>) | undefined;
  readonly memory: SiteMemory | undefined;
  /** The removals of the store, read before it was compared with the ZIP: the ZIP has none of these accounts. */
  readonly removals: Removals;
  /** Whether to publish even if the store does not know the state of the current version. */
  readonly replace: boolean;
  /** Whether to publish a tree with another base URL than the current version. */
  readonly allowOtherBaseUrl: boolean;
  readonly singlePublisher: boolean;
  readonly cacheControl: string;
  /** Whether to decide only, without any write. */
  readonly dryRun: boolean;
  /** A folder that is created for the versions that are fetched, and removed. */
  readonly folder: string;
  readonly onProgress?: OnProgress<VersionsPhase> | undefined;
}

export interface SiteMemory extends Memory {
  readonly hadState: (fingerprint: string) => boolean;
  /** Whether the store has all these records, under any handle. */
  readonly hasRecords: (records: readonly { readonly [field: string]: unknown }[]) => boolean;
  readonly setRemoved: (exclusions: readonly Exclusion[]) => void;
}

export interface SitePublishSummary extends Partial<Written<SiteVersion>> {
  /** The list before the run, and the one that this run decided; undefined if nothing changes. */
  readonly before: readonly SiteVersion[];
  readonly next: NextList<SiteVersion> | undefined;
  /** The numbers of the versions that have a removed account: they are deleted, or rebuilt. */
  readonly removed: readonly number[];
  /** The numbers of the versions that are missing or damaged. */
  readonly damaged: readonly number[];
  /** Why something needs to be repaired. */
  readonly problems: readonly string[];
  readonly traffic: Remote['traffic'];
}

/**
 * Publishes a tree in a ZIP as a new version, goes back to an earlier one, or deletes versions. Versions with a removed account are
 * found by a search of each, and deleted or rebuilt before the run ends.
 * @throws Failure no-version, store-diverged, other-base-url, tree-edited, not-removed, other-form, no-conditions, target-busy, not-ours, target-failed, target-denied, stopped, file-system
 */
export async function publishSite(target: Target, options: SitePublishOptions): Promise<SitePublishSummary> {
  const { memory, singlePublisher, repair, dryRun, zip, onProgress = () => {} } = options;
  const remote = openRemote(target, { ...options, kept: `the current version at ${target.name} is unchanged` });
  const kind = { ...SITE_KIND, cacheControl: { ...SITE_KIND.cacheControl, head: options.cacheControl } };
  const { pending } = options.removals;
  const targetLock = dryRun ? undefined : lockTarget(target);
  const remembered = known(kind, HEAD, memory?.read())?.commit.versions ?? [];
  const decision = new LiveVersions(remote, options, new Set(remembered.map(({ file }) => file)));
  let summary: Pick<SitePublishSummary, 'before' | 'next'> = { before: [], next: undefined };
  const decide = async (found: Found<SiteVersion>) => {
    const next = await decision.next(found);
    summary = { before: found.newest?.commit.versions ?? [], next };
    return next;
  };
  try {
    if (dryRun) {
      const found = await readNewest(remote, kind, { remembered: memory?.read(), listing: 'newest' });
      if (found.top === 0) await refuseOtherForm(remote, kind.name);
      await decide(found);
      return { ...summary, ...decision.found, problems: found.problems, traffic: remote.traffic };
    }
    let sent = 0;
    const onSent = (bytes: number) => {
      sent += bytes;
      onProgress('send', sent, Math.max(sent, zip?.bytes ?? 0));
    };
    const isThorough = repair || pending.length > 0;
    const written = await changeVersions(remote, kind, { decide, memory, singlePublisher, isThorough, onSent });
    const isRemoval = pending.length > 0 || decision.found.removed.length > 0;
    if (isRemoval && summary.before.length > 0) refuseRemains(remote, written.left);
    if (pending.length > 0) memory?.setRemoved(pending);
    return { ...summary, ...decision.found, ...written, traffic: remote.traffic };
  } finally {
    await decision.close();
    targetLock?.release();
  }
}
