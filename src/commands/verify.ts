import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { VERSIONS_MARKER } from '../contract/target-marker.ts';
import { number, plural, seconds } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { VerifySummary } from '../verify/verify.ts';
import type { VerifyOptions } from '../verify/walk.ts';
import type { CheckSiteOptions } from '../versions/check-site.ts';
import { DEFAULT_OUT, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';
import { addTargetOptions, requestsOf, TARGET_HELP, type TargetChoice, targetOf, trafficOf } from './target-options.ts';
import { noteLines, verdict, violationLines } from './verify-report.ts';

export function declareVerify(program: Program, terminal: Terminal): void {
  addTargetOptions(
    program
      .command('verify')
      .summary('check the tree, or the versions at a target, for errors')
      .description(
        'Walks both collections as a client would, and checks every page, record, account and file of the tree against the rules that ' +
          'docs/rules.md in the package lists. With --store, also compares the tree with a store. At a target with versions, also checks ' +
          'the commits and the data of each version. Exits with 1 if a rule is violated.',
      )
      .argument('[target]', `a target with versions: ${TARGET_HELP}`)
      .addOption(
        new Option('--out <path>', 'the tree: a folder, a ZIP, or a folder with versions')
          .env('PALIMPSEST_OUT')
          .argParser(path)
          .default(DEFAULT_OUT),
      )
      .addOption(new Option('--store <file>', 'a store; the tree must contain all of it').env('PALIMPSEST_STORE').argParser(path))
      .addOption(new Option('--all', 'check the tree in each version, and not only in the current one').env('PALIMPSEST_ALL')),
  )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest verify', 'check the tree alone'],
        ['palimpsest verify --store data/palimpsest.db', 'also compare the tree with its store'],
        ['palimpsest verify s3://bucket/history', 'check the versions at a target'],
      ),
    )
    .action(async (address, options) => {
      terminal.setOutput(options);
      const [{ verify }, { readBuildRecord }] = await Promise.all([import('../verify/verify.ts'), import('../tree/build-record.ts')]);
      const { out, store } = options;
      const target = address ?? ([VERSIONS_MARKER, 'versions'].some((name) => existsSync(join(out, name))) ? out : undefined);
      const started = performance.now();
      const common = { store, threads: availableParallelism(), signal: terminal.stopSignal };
      const onProgress = terminal.progress({
        commits: { label: 'reading commits', amount: items('commit') },
        versions: { label: 'fetching versions', amount: items('version') },
        manifest: { label: 'reading the manifest', amount: items('line') },
        walk: { label: 'checking', amount: items('item') },
        again: { label: 'comparing the feed with the accounts', amount: items('item') },
        browse: { label: 'checking browse files', amount: items('file') },
        render: { label: 'rendering browse files', amount: items('file') },
        index: { label: 'comparing the index of the ZIP', amount: items('member') },
        files: { label: 'looking for other files', amount: items('file') },
      });
      if (target !== undefined) {
        await verifyTarget(terminal, target, options, { ...common, onProgress }, started);
        return;
      }
      const summary = await verify({ ...common, out, onProgress });
      const took = performance.now() - started;
      terminal.exitCode = summary.violationCount === 0 ? 0 : 1;
      terminal.summary({ out, ...summary, milliseconds: Math.round(took) }, [
        ...violationLines(summary),
        ...noteLines(summary),
        `verified the tree in ${out} in ${seconds(took)}: ${verdict(summary)}`,
        ...checkedLines(summary, store),
        ...(summary.violationCount === 0
          ? [`next: ${await terminal.command('serve', { '--open': true })}`]
          : await nextSteps(summary, terminal, options, readBuildRecord(out) === 'foreign')),
      ]);
    });
}

/** Checks the versions at a target, and reports what was found. */
async function verifyTarget(
  terminal: Terminal,
  address: string,
  options: TargetChoice & { readonly all?: true | undefined },
  common: Pick<CheckSiteOptions, 'store' | 'threads' | 'onProgress'>,
  started: number,
): Promise<void> {
  const [{ checkSite }, target] = await Promise.all([import('../versions/check-site.ts'), targetOf(address, options, terminal)]);
  const check = { ...common, ...requestsOf(options, terminal), all: options.all === true };
  const { traffic, ...summary } = await checkSite(target, check).finally(() => target.close());
  const took = performance.now() - started;
  const isGood = summary.violationCount === 0;
  terminal.exitCode = isGood ? 0 : 1;
  terminal.summary({ target: target.name, ...summary, requests: trafficOf(traffic), milliseconds: Math.round(took) }, [
    ...violationLines(summary),
    ...noteLines(summary),
    `verified ${plural(summary.versions, 'version')} at ${target.name} in ${seconds(took)}: ${verdict(summary)}`,
    `  commits   ${number(summary.commits)}; version ${number(summary.version)} is current`,
    ...checkedLines(summary, common.store),
    ...(isGood
      ? []
      : [
          `next: publish again, to repair what can be repaired: ${await terminal.command('publish', { '--repair': true, '--out': 'ZIP', ...(common.store === undefined ? { '--store': 'FILE' } : {}) }, [address])}`,
        ]),
  ]);
}

function checkedLines(summary: VerifySummary, store: string | undefined): string[] {
  return [
    `  checked   ${amountOf(summary.records, summary.build?.records, 'record')} and ${amountOf(summary.accounts, summary.build?.accounts, 'account')}`,
    ...(store === undefined ? [] : [`  compared  with the store ${store}`]),
  ];
}

/** Formats an amount that was checked. If there should be another amount, it shows both. */
function amountOf(checked: number, all: number | undefined, noun: string): string {
  return all === undefined || all === checked ? plural(checked, noun) : `${number(checked)} of ${plural(all, noun)}`;
}

/** Whether a store never had the content with this fingerprint. */
async function neverHad(path: string, fingerprint: string): Promise<boolean> {
  const { Store } = await import('../store/store.ts');
  const store = Store.open(path);
  try {
    return store.revisionOf(fingerprint) === undefined;
  } finally {
    store.close();
  }
}

/**
 * Suggests what to do about each kind of violation. A build rewrites files that differ from the store. It leaves unexpected
 * files, and refuses a folder whose build.json it cannot read. Errors in imported records must be corrected at their source.
 * @param isForeign whether the folder has a build.json that a build cannot read
 */
async function nextSteps(
  { causes, build }: VerifySummary,
  terminal: Terminal,
  { out, store }: Pick<VerifyOptions, 'out' | 'store'>,
  isForeign: boolean,
): Promise<string[]> {
  const isOther = store !== undefined && build !== undefined && (await neverHad(store, build.store));
  const rules = new Set(causes.flatMap((cause) => Object.keys(cause.rules)));
  const unexpected = rules.delete('unexpected-file');
  const differs = [...rules].some((rule) => /^(build|manifest|file|page|zip|store|browse)-|^(duplicate-mismatch|sort-keys)$/.test(rule));
  const options = {
    '--repair': true,
    ...(isForeign ? { '--base-url': 'URL' } : {}),
    ...(store === undefined || isOther ? { '--store': 'FILE' } : {}),
  } as const;
  const steps = [
    ...(unexpected ? ['delete the unexpected files, because a build does not remove them'] : []),
    ...(differs && isForeign ? [`delete ${out}, because a build refuses a folder with this build.json`] : []),
    ...(isOther ? [`name the store of this tree with --store, because ${store} never had the content of this tree`] : []),
    ...(differs ? [`build again from the store of this tree: ${await terminal.command('build', options)}`] : []),
    ...(rules.size > 0 && !differs
      ? ['correct these records at their source, then import them again; the tree contains them as they were imported']
      : []),
  ];
  return steps.map((step, index) => `${index === 0 ? 'next' : 'then'}: ${step}`);
}
