import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Values } from '../command-line/commands.ts';
import { type Refusal, refuse } from '../command-line/refusals.ts';
import { STORE } from '../command-line/shared-options.ts';
import type { Given } from '../command-line/spec.ts';
import { number, plural, seconds } from '../contract/amounts.ts';
import type { OnProgress } from '../contract/event-loop-pauses.ts';
import { Failure } from '../contract/failure.ts';
import { lackSentence } from '../contract/files/incomplete-mirror.ts';
import { VERSIONS_MARKER } from '../contract/files/markers.ts';
import { hint, type SuggestedCommand, suggested } from '../contract/hint.ts';
import { readState } from '../publish/state/state.ts';
import { openRemote } from '../storage/remote.ts';
import { items } from '../terminal/progress.ts';
import type { Line, Terminal } from '../terminal/terminal.ts';
import { BUILD_RECORD, type BuildRecord, readBuildRecord } from '../tree/build-record.ts';
import { formOf, type TreeForm } from '../tree/tree-files.ts';
import { UNFINISHED } from '../verify/cross-span-check.ts';
import { verifyPublished } from '../verify/published-tree.ts';
import { type VerifyOptions, type VerifySummary, verify } from '../verify/verify.ts';
import { type CheckSiteOptions, type CheckSitePhase, checkSite } from '../versions/check-site.ts';
import { requestsOf, requestsText, targetOf, trafficOf } from './target-options.ts';
import { stateIn, withStore } from './tree-state.ts';
import { noteLines, verdict, violationLines } from './verify-report.ts';

const REFUSED_WITH_TARGET: Refusal = {
  options: ['--out'],
  found: 'a target',
  expected: 'one of the two: a run checks the tree in --out, or what is at a target',
  onlyGiven: ['--out'],
};

export async function runVerify(terminal: Terminal, options: Values<'verify'>, given: Given): Promise<void> {
  const { out } = options;
  if (options.target !== undefined) refuse(REFUSED_WITH_TARGET, given);
  const target = options.target ?? ([VERSIONS_MARKER, 'versions'].some((name) => existsSync(join(out, name))) ? out : undefined);
  const store = options.store ?? (target === undefined ? storeOf(out) : undefined);
  const common = { store, threads: availableParallelism(), signal: terminal.stopSignal };
  const onProgress = terminal.progress({
    commits: { label: 'reading commits', amount: items('commit') },
    versions: { label: 'fetching versions', amount: items('version') },
    fetch: { label: 'fetching', amount: items('file') },
    manifest: { label: 'reading the manifest', amount: items('line') },
    walk: { label: 'checking', amount: items('item') },
    again: { label: 'comparing the feed with the accounts', amount: items('item') },
    browse: { label: 'checking HTML pages', amount: items('file') },
    render: { label: 'rendering HTML pages', amount: items('file') },
    index: { label: 'comparing the index of the ZIP', amount: items('member') },
    files: { label: 'looking for other files', amount: items('file') },
  });
  if (target !== undefined) {
    await verifyTarget(terminal, target, options, { ...common, onProgress });
    return;
  }
  const summary = await verify({ ...common, out, onProgress });
  const milliseconds = terminal.elapsed();
  terminal.exitCode = summary.violationCount === 0 ? 0 : 1;
  terminal.summary({ out, store, ...summary, milliseconds }, [
    ...violationLines(summary),
    ...noteLines(summary),
    `verified the tree in ${out} in ${seconds(milliseconds)}: ${verdict(summary)}`,
    ...checkedLines(summary, store),
    store === undefined && NOT_COMPARED,
    ...(summary.violationCount === 0
      ? [`next: ${terminal.command('serve', { '--open': true })}`]
      : nextSteps(summary, terminal, { out, store }, readBuildRecord(out) === 'foreign')),
  ]);
}

/** Printed if the default store is missing, or has changed since the tree was built. */
const NOT_COMPARED = '  compared  with no store; add --store FILE to compare';

/** Returns the default store if a tree was built from its present state. */
function storeOf(out: string): string | undefined {
  const build = readBuildRecord(out);
  if (typeof build !== 'object' || !existsSync(STORE.default)) return undefined;
  try {
    return withStore(STORE.default, (store) => stateIn(store, build.store)) === 'current' ? STORE.default : undefined;
  } catch {
    // nobody named this store, and the tree can be checked without it
    return undefined;
  }
}

/** Checks the versions or the pages at a target, and reports what was found. */
async function verifyTarget(
  terminal: Terminal,
  address: string,
  options: Values<'verify'>,
  common: Pick<CheckSiteOptions, 'store' | 'threads' | 'signal'> & {
    readonly onProgress: OnProgress<CheckSitePhase | 'fetch'> | undefined;
  },
): Promise<void> {
  const target = await targetOf(address, options, terminal);
  const remote = openRemote(target, { ...requestsOf(options, terminal), kept: UNFINISHED });
  const check = { ...common, concurrency: options.concurrency, all: options.all };
  const pages = async () => {
    // a state that palimpsest did not write is a violation
    const state = await readState(remote).catch(() => undefined);
    if (state?.state.state === 'publishing') throw unfinished(target.name);
    // a folder without pages gets the message for a target, and not for a tree that is missing
    const isTree = target.names !== undefined && existsSync(join(target.name, formOf(target.name) === 'zip' ? '' : BUILD_RECORD));
    return await (isTree ? verify({ ...common, out: target.name }) : verifyPublished(remote, check));
  };
  const found = async () => {
    const site = await checkSite(remote, check);
    return { site, summary: site ?? (await pages()) };
  };
  const { site, summary } = await found().finally(() => target.close());
  const milliseconds = terminal.elapsed();
  const isGood = summary.violationCount === 0;
  terminal.exitCode = isGood ? 0 : 1;
  const requests = requestsText(target, remote.traffic.requests);
  const { store } = common;
  const next = () =>
    isUnknownTo(store, summary.build)
      ? [ownStoreStep(terminal, store, address)]
      : publishSteps(terminal, { out: options.out, store }, address, site === undefined ? 'folder' : 'zip', summary.build);
  terminal.summary({ target: target.name, ...summary, requests: trafficOf(remote.traffic), milliseconds }, [
    ...violationLines(summary),
    ...noteLines(summary),
    `verified ${site === undefined ? 'the pages' : plural(site.versions, 'version')} at ${target.name} in ${seconds(milliseconds)}: ${verdict(summary)}`,
    site !== undefined && `  commits   ${number(site.commits)}; version ${number(site.number)} is current`,
    ...checkedLines(summary, store),
    requests !== undefined && `  sent      ${requests}`,
    ...(isGood ? [] : next()),
  ]);
}

function unfinished(target: string): Failure {
  return new Failure('tree-unfinished', `a publish to ${target} is not finished`, {
    place: { file: target },
    expected: 'a finished publish',
    found: 'a publish that is running or was interrupted',
    hint: hint`wait until it ends, or run ${suggested('publish', {}, [target])} again, then verify`,
  });
}

function checkedLines(summary: VerifySummary, store: string | undefined): Line[] {
  return [
    `  checked   ${amountOf(summary.records, summary.build?.records, 'record')} and ${amountOf(summary.accounts, summary.build?.accounts, 'account')}`,
    store !== undefined && `  compared  with the store ${store}`,
    ...(summary.build?.incomplete ?? []).map((lack) => `  note      ${lackSentence(lack)}`),
  ];
}

/** Formats an amount that was checked. If there should be another amount, it shows both. */
function amountOf(checked: number, all: number | undefined, noun: string): string {
  return all === undefined || all === checked ? plural(checked, noun) : `${number(checked)} of ${plural(all, noun)}`;
}

/** Whether a store does not know the state of a tree: then no difference between them is damage. */
function isUnknownTo(path: string | undefined, build: BuildRecord | undefined): boolean {
  return path !== undefined && build !== undefined && withStore(path, (store) => stateIn(store, build.store)) === 'other';
}

/** Suggests to compare with the store that a tree was built from, instead of one that does not know its state. */
function ownStoreStep(terminal: Terminal, store: string | undefined, target?: string): string {
  const command =
    target === undefined
      ? terminal.command('verify', { '--store': 'FILE' })
      : terminal.command('verify', { '--store': 'FILE', '--out': false }, [target]);
  return `next: name the store of this tree, because ${store} does not know the state of this tree: ${command}`;
}

/**
 * Suggests to publish again, and to build before if the tree in --out is of an earlier state of the store.
 * @param form the form of the tree
 * @param published what the target has
 */
function publishSteps(
  terminal: Terminal,
  { out, store }: Pick<VerifyOptions, 'out' | 'store'>,
  target: string,
  form: TreeForm,
  published: BuildRecord | undefined,
): string[] {
  const tree = target !== out && formOf(out) === form ? readBuildRecord(out) : 'none';
  const revision = store === undefined ? undefined : withStore(store, (opened) => opened.revision);
  const known = typeof tree === 'object' && !isUnknownTo(store, tree) ? tree : undefined;
  const isOlder = known !== undefined && revision !== undefined && known.store !== revision.fingerprint;
  const hasFewer =
    published !== undefined && (Number(revision?.records) < published.records || Number(revision?.accounts) < published.accounts);
  const options: SuggestedCommand['options'] = {
    '--repair': true,
    ...(known !== undefined ? {} : { '--out': form === 'zip' ? 'ZIP' : 'FOLDER' }),
    ...(hasFewer && form === 'folder' ? { '--allow-gaps': true } : {}),
    ...(store === undefined && form === 'zip' ? { '--store': 'FILE' } : {}),
  };
  const publish = `publish again, to repair what can be repaired: ${terminal.command('publish', options, [target])}`;
  const build = `build first, because the tree in ${out} is older than the store: ${terminal.command('build')}`;
  return isOlder ? [`next: ${build}`, `then: ${publish}`] : [`next: ${publish}`];
}

/**
 * Suggests what to do about each kind of violation. A build rewrites files that differ from the store. It leaves unexpected
 * files, and refuses a folder whose build.json it cannot read. Errors in imported records must be corrected at their source.
 * @param isForeign whether the folder has a build.json that a build cannot read
 */
function nextSteps(
  { causes, build }: VerifySummary,
  terminal: Terminal,
  { out, store }: Pick<VerifyOptions, 'out' | 'store'>,
  isForeign: boolean,
): string[] {
  if (isUnknownTo(store, build)) {
    const replace = terminal.command('build', { '--replace-tree': true });
    return [ownStoreStep(terminal, store), `or: replace this tree with one of ${store}: ${replace}`];
  }
  const rules = new Set(causes.flatMap((cause) => Object.keys(cause.rules)));
  const unexpected = rules.delete('unexpected-file');
  const differs = [...rules].some((rule) => /^(build|manifest|file|page|zip|store|browse)-|^(duplicate-mismatch|sort-keys)$/.test(rule));
  const options = {
    '--repair': true,
    ...(isForeign ? { '--base-url': 'URL' } : {}),
    ...(store === undefined ? { '--store': 'FILE' } : {}),
  } as const;
  const steps = [
    ...(unexpected ? ['delete the unexpected files, because a build does not remove them'] : []),
    ...(differs && isForeign ? [`delete ${out}, because a build refuses a folder with this build.json`] : []),
    ...(differs ? [`build again from the store of this tree: ${terminal.command('build', options)}`] : []),
    ...(rules.size > 0 && !differs && build?.incomplete !== undefined
      ? [
          `${build.incomplete.map(lackSentence).join('; ')}: mirror again or import the missing pages, because missing records can be the cause, then build again`,
        ]
      : []),
    ...(rules.size > 0 && !differs && build?.incomplete === undefined
      ? ['correct these records at their source, then import them again; the tree contains them as they were imported']
      : []),
  ];
  return steps.map((step, index) => `${index === 0 ? 'next' : 'then'}: ${step}`);
}
