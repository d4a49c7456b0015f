import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Values } from '../command-line/commands.ts';
import { type Refusal, refuse } from '../command-line/refusals.ts';
import type { Given } from '../command-line/spec.ts';
import { FAILURES, Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { isLoopback, localLinks } from '../contract/site.ts';
import { refuseOtherFiles } from '../publish/trees/other-files.ts';
import type { PublishedTarget } from '../store/published-target.ts';
import { bytes, items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formOf } from '../tree/tree-files.ts';
import { HEAD } from '../versions/commit.ts';
import type { SitePublishSummary } from '../versions/publish-site.ts';
import { publishSite } from '../versions/publish-site.ts';
import type { AccountsFound } from '../versions/removed-accounts.ts';
import type { LocalZip } from '../versions/site-version.ts';
import { openLocalZip } from '../versions/site-version.ts';
import { addToJobSummary, refusalTable } from './job-summary.ts';
import { notBuiltFrom } from './not-built-from.ts';
import { requestsOf, targetOf } from './target.ts';
import { reportVersions } from './versions-report.ts';

/** The options that only pages as files have. */
const REFUSED: Refusal = {
  options: ['--gzip', '--allow-gaps', '--max-delete'],
  found: 'versions',
  expected: 'a tree in a folder: a version is one file, which replaces all pages at once',
  onlyGiven: ['--max-delete'],
};
const REFUSED_WITH_ROLLBACK: Refusal = {
  options: ['--keep', '--keep-daily', '--keep-monthly', '--repair', '--replace'],
  found: '--rollback',
  expected: 'one of the two: --rollback needs no tree',
  onlyGiven: ['--keep', '--keep-daily', '--keep-monthly'],
};

/** Whether `publish` writes a version: its tree is in a ZIP, or it goes back to an earlier version. */
export function usesVersions({ out, rollback }: Values<'publish'>): boolean {
  return rollback !== undefined || formOf(out) === 'zip';
}

/** Publishes a tree in a ZIP, or goes back to an earlier version, and reports it. */
export async function publishVersions(terminal: Terminal, options: Values<'publish'>, given: Given, started: number): Promise<void> {
  const { dryRun } = options;
  const isRollback = options.rollback !== undefined;
  refuse(REFUSED, given);
  if (isRollback) refuse(REFUSED_WITH_ROLLBACK, given);
  const target = await targetOf(options.target, options, terminal);
  if (!isRollback) target.check?.(options.out);
  // a head of another program is refused when it is read
  if (!options.allowOtherFiles) refuseOtherFiles(target, HEAD);
  const zip = isRollback ? undefined : openLocalZip(options.out);
  const refusals: Failure[] = [];
  let summary: SitePublishSummary;
  let remembered: PublishedTarget | undefined;
  try {
    const { memory, removals } = await memoryOf(options, target.names === undefined ? target.name : resolve(target.name), zip);
    remembered = memory;
    if (zip !== undefined && !options.allowLoopback && isLoopback(zip.build.base_url))
      refusals.push(localLinks(target.name, zip.build.base_url));
    const rebuild = async (one: LocalZip, found: AccountsFound) =>
      (await import('./rebuild-version.ts')).rebuildVersion(one, removals.all, found, terminal.stopSignal);
    const [refused] = refusals;
    if (refused !== undefined && !dryRun) throw refused;
    summary = await publishSite(target, {
      ...options,
      ...requestsOf(options, terminal),
      zip,
      keep: isRollback ? {} : { within: options.keep, daily: options.keepDaily, monthly: options.keepMonthly },
      rebuild: options.rewriteVersions ? rebuild : undefined,
      memory,
      removals,
      isSinglePublisher: options.singlePublisher,
      folder: join(dirname(options.out), `.${basename(options.out)}.versions`),
      onProgress: terminal.progress({
        check: { label: 'checking versions', amount: items('version') },
        send: { label: 'sending', amount: bytes },
      }),
    });
  } finally {
    zip?.close();
    target.close();
  }
  reportVersions(
    terminal,
    summary,
    { target, milliseconds: Math.round(performance.now() - started), ...(zip === undefined ? {} : { out: zip.path }) },
    dryRun,
  );
  const others = summary.before.length === 0 ? (remembered?.others() ?? []) : [];
  if (others.length > 0)
    terminal.alert(
      `${target.name} is a new target, but ${options.store} was published to ${others.join(', ')} before: check the name of the target`,
    );
  if (remembered?.isForgetful)
    terminal.warn(
      `${options.store} could not be written, so this publish is not recorded in it: close other programs that use it, then publish again`,
    );
  // the exit code stops a job at the plan, before the publish
  for (const refusal of dryRun ? refusals : []) {
    terminal.exitCode = FAILURES[refusal.code].exit;
    terminal.alert(`would be refused (${refusal.code}): ${refusal.message}; ${refusal.hint}`);
    addToJobSummary(terminal, refusalTable(refusal));
  }
}

/**
 * Returns what the store remembers of the target. Only going back to an earlier version needs no store.
 * @throws Failure no-store, store-diverged
 */
async function memoryOf({ store, endpoint }: Values<'publish'>, name: string, zip: LocalZip | undefined) {
  const [{ PublishedTarget }, { Store }] = await Promise.all([import('../store/published-target.ts'), import('../store/store.ts')]);
  const memory = new PublishedTarget(store, endpoint === undefined ? name : `${endpoint} ${name}`);
  if (!existsSync(store)) {
    if (zip === undefined) return { memory: undefined, removals: { all: [], pending: [] } };
    throw new Failure('no-store', `publish needs the store ${store}: it records what was published and which accounts must be removed`, {
      place: { file: store },
      expected: `the store that ${zip.path} was built from`,
      found: 'no file',
      hint: hint`name it with --store; if it is lost, run ${suggested('import', { '--store': store }, [zip.path])} and build again`,
    });
  }
  // before the fingerprint: an account that is removed meanwhile stays a removal that is not done
  const known = { memory, removals: memory.removals() };
  if (zip === undefined) return known;
  const opened = Store.open(store);
  const { fingerprint } = opened.revision;
  const isOwn = opened.revisionOf(zip.build.store) !== undefined;
  opened.close();
  if (fingerprint === zip.build.store) return known;
  throw notBuiltFrom(zip.path, zip.build.store, store, { fingerprint, isOwn });
}
