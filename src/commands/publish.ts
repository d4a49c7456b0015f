import type { Values } from '../command-line/commands.ts';
import { type Refusal, refuse } from '../command-line/refusals.ts';
import type { Given } from '../command-line/spec.ts';
import { plural, seconds } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import { publish } from '../publish/publish.ts';
import { refuseSwapped } from '../publish/trees/refuse-other-files.ts';
import { exclusionsOf } from '../store/exclusions/named-exclusions.ts';
import { bytes, items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addToJobSummary, reportRefusals } from './job-summary.ts';
import { planLines, planObject, publishTable, summaryLines } from './publish-report.ts';
import { publishVersions, usesVersions } from './publish-versions.ts';
import { alertNewTarget, requestsOf, targetOf, trafficOf } from './target-options.ts';
import { alertOlder, stateAt, storeOfRemovals } from './tree-state.ts';

/** The options that need versions. */
const REFUSED_FOR_PAGES: Refusal = {
  options: ['--keep', '--keep-daily', '--keep-monthly', '--rewrite-versions'],
  found: 'a tree in a folder',
  expected: 'a tree in a ZIP: only versions at a target are kept or deleted',
};

export async function runPublish(terminal: Terminal, options: Values<'publish'>, given: Given): Promise<void> {
  if (usesVersions(options)) return await publishVersions(terminal, options, given);
  refuse(REFUSED_FOR_PAGES, given);
  const target = await targetOf(options.target, options, terminal);
  if (!options.allowOtherFiles) refuseSwapped(target, options.out);
  if (options.gzip && target.keepsHeaders === false) throw compressedFiles();
  const store = storeOfRemovals(terminal, options.store, given);
  const summary = await publish(target, {
    ...options,
    ...requestsOf(options, terminal),
    exclusions: () => (store === undefined ? undefined : exclusionsOf(store, [])),
    stateOf: (build) => stateAt(store, build),
    onProgress: terminal.progress({
      read: { label: 'reading the tree', amount: items('file') },
      scan: { label: 'reading the target', amount: items('file') },
      send: { label: 'sending', amount: bytes },
      delete: { label: 'deleting', amount: items('file') },
    }),
  }).finally(() => target.close());
  const milliseconds = terminal.elapsed();
  const facts = { target: target.name, isNew: summary.isNew, out: options.out, milliseconds };
  if (summary.isNew) alertNewTarget(terminal, target);
  if (summary.isOlder) alertOlder(terminal, options.out, options.store);
  if (summary.isByCounts) {
    terminal.warn('the target has no sort keys of its pages: records that move to earlier pages are detected only from the counts');
  }
  if (options.dryRun) {
    terminal.summary({ ...facts, ...planObject(summary) }, planLines(summary, target));
    reportRefusals(terminal, summary.refusals);
    return;
  }
  if (summary.isConditional === false) {
    terminal.warn('this object store has no conditional writes: two publishes at the same time may not detect each other');
  }
  if (summary.left > 0) {
    terminal.warn(
      `${plural(summary.left, 'file')} that the tree no longer has will be deleted by the next run: run the same command again`,
    );
    terminal.exitCode = 1;
  }
  terminal.summary(
    {
      ...facts,
      done: summary.done,
      unchanged: summary.plan.unchanged,
      resumed: summary.wasInterrupted,
      requests: trafficOf(summary.traffic),
      bytes: summary.traffic.sent,
      readerGaps: summary.plan.readerGaps,
      left: summary.left,
      removal: summary.removal ?? null,
      conditional: summary.isConditional ?? null,
      invalidate: summary.invalidate,
    },
    summaryLines(summary, target, seconds(milliseconds)),
  );
  addToJobSummary(terminal, publishTable(summary, target, seconds(milliseconds)));
}

function compressedFiles(): Failure {
  return new Failure('usage', 'a folder cannot store the Content-Encoding of compressed pages', {
    expected: 'a target that stores Content-Encoding',
    found: 'a folder, with --gzip',
    hint: 'leave out --gzip, and let the web server compress',
  });
}
