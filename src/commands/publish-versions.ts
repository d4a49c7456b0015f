import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Values } from '../command-line/commands.ts';
import { type Refusal, refuse } from '../command-line/refusals.ts';
import type { Given } from '../command-line/spec.ts';
import { type Exclusion, encodeExclusion, handleHash } from '../contract/accounts/exclusion.ts';
import { isLoopback, localLinks } from '../contract/base-url.ts';
import { Failure } from '../contract/failure.ts';
import { hint, suggested } from '../contract/hint.ts';
import { refuseOtherFiles } from '../publish/trees/refuse-other-files.ts';
import { PublishedTarget } from '../store/published-target.ts';
import { bytes, items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { formOf } from '../tree/tree-files.ts';
import { HEAD } from '../versions/commit-format.ts';
import type { AccountsFound } from '../versions/find-removed.ts';
import { publishSite } from '../versions/publish-site.ts';
import { type LocalZip, openLocalZip } from '../versions/site-version.ts';
import { reportRefusals } from './job-summary.ts';
import { reportVersions } from './publish-versions-report.ts';
import { alertNewTarget, listedTargetOf, requestsOf, targetOf } from './target-options.ts';
import { alertOlder, refuseOtherState, stateAt, withStore } from './tree-state.ts';

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
export async function publishVersions(terminal: Terminal, options: Values<'publish'>, given: Given): Promise<void> {
  const { dryRun } = options;
  const isRollback = options.rollback !== undefined;
  refuse(REFUSED, given);
  if (isRollback) refuse(REFUSED_WITH_ROLLBACK, given);
  const target = await (isRollback ? listedTargetOf('no-version', options, terminal) : targetOf(options.target, options, terminal));
  if (!isRollback) target.check?.(options.out);
  // a head of another program is refused when it is read
  if (!options.allowOtherFiles) refuseOtherFiles(target, HEAD);
  const zip = isRollback ? undefined : openLocalZip(options.out);
  const baseUrl = zip?.build.base_url ?? '';
  const refusals = zip !== undefined && !options.allowLoopback && isLoopback(baseUrl) ? [localLinks(target.name, baseUrl)] : [];
  const send = async () => {
    const { memory, removals } = memoryOf(options, target.names === undefined ? target.name : resolve(target.name), zip);
    const rebuild = (one: LocalZip, found: AccountsFound) => rebuildVersion(one, removals.all, found, terminal.stopSignal);
    const [refused] = refusals;
    if (refused !== undefined && !dryRun) throw refused;
    const summary = await publishSite(target, {
      ...options,
      ...requestsOf(options, terminal),
      zip,
      keep: isRollback ? {} : { within: options.keep, daily: options.keepDaily, monthly: options.keepMonthly },
      rebuild: options.rewriteVersions ? rebuild : undefined,
      memory,
      removals,
      folder: join(dirname(options.out), `.${basename(options.out)}.versions`),
      onProgress: terminal.progress({
        check: { label: 'checking versions', amount: items('version') },
        send: { label: 'sending', amount: bytes },
      }),
    });
    return { summary, memory };
  };
  const { summary, memory } = await send().finally(() => {
    zip?.close();
    target.close();
  });
  reportVersions(terminal, summary, target, zip?.path, dryRun);
  if (summary.before.length === 0) alertNewTarget(terminal, target, memory?.others());
  if (zip !== undefined && stateAt(options.store, zip.build) === 'earlier') alertOlder(terminal, zip.path, options.store);
  if (memory?.isForgetful)
    terminal.warn(
      `${options.store} could not be written, so this publish is not recorded in it: close other programs that use it, then publish again`,
    );
  if (!dryRun) return;
  reportRefusals(terminal, refusals);
  for (const { code, message, hint } of refusals) terminal.alert(`would be refused (${code}): ${message}; ${hint}`);
}

/**
 * Returns what the store remembers of the target. Only going back to an earlier version needs no store.
 * @throws Failure no-store, store-diverged
 */
function memoryOf({ store, endpoint }: Values<'publish'>, name: string, zip: LocalZip | undefined) {
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
  withStore(store, (opened) => refuseOtherState(opened, zip.path, zip.build.store));
  return known;
}

/**
 * Rebuilds a tree in a ZIP without removed accounts: imports its pages into a new store that excludes them, and builds it again.
 * @param found the handles of the removed accounts in this tree, which other accounts can have now, and those of other accounts
 * @throws Failure those of `importInputs` and `build`
 */
async function rebuildVersion(
  { path, build: { base_url, page_size, account_page_size, about, noindex, account_feeds, browse_files = 0 } }: LocalZip,
  exclusions: readonly Exclusion[],
  found: AccountsFound,
  signal: AbortSignal,
): Promise<LocalZip> {
  const [{ inputsOf }, { importInputs }, { build }] = await Promise.all([
    import('../sources/inputs/inputs.ts'),
    import('../import/import.ts'),
    import('../tree/build/build.ts'),
  ]);
  const [store, list, out] = [`${path}.db`, `${path}.exclusions.ndjson`, `${path}.rebuilt.zip`];
  const [first] = exclusions;
  const here = first === undefined ? [] : [{ ...first, handles: found.removed.map(handleHash).toSorted(), stable_ids: [], records: [] }];
  const others = new Set(found.others.map(handleHash));
  const excluded = exclusions
    .map((one) => ({ ...one, handles: one.handles.filter((handle) => !others.has(handle)) }))
    .filter((one) => one.handles.length + one.stable_ids.length > 0);
  await writeFile(list, [...excluded, ...here].map((one) => `${encodeExclusion(one)}\n`).join(''));
  // the exclusions first, so that no excluded item gets into the store
  await importInputs(store, inputsOf([list, path], empty()), { onConflict: 'fail', signal });
  const settings = { html: browse_files > 0, about, noindex, accountFeeds: account_feeds };
  await build(store, { out, site: { base_url, page_size, account_page_size }, ...settings, signal });
  await Promise.all([store, list].map((file) => rm(file)));
  return openLocalZip(out);
}

async function* empty(): AsyncGenerator<Uint8Array> {}
