import { FAILURES, Failure } from '../contract/failure.ts';
import type { ComposedPublishOptions, ComposedPublishSummary } from '../publish/composed/publish-composed.ts';
import type { RollbackSummary } from '../publish/composed/rollback.ts';
import { chunkPath } from '../rewrite/chunks.ts';
import type { Target } from '../storage/target.ts';
import { number, plural, seconds, size } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addToJobSummary, refusalTable, summaryTable } from './job-summary.ts';
import { trafficOf } from './target-options.ts';

/** The options of `publish` that only the composed layout has, by their names. */
export interface ComposedOnly {
  readonly keep?: number | undefined;
  readonly rollback?: number | true | undefined;
  readonly append?: true | undefined;
  readonly dropGenerations?: true | undefined;
  readonly singlePublisher?: true | undefined;
}

/** Publishes a tree with the composed layout, and reports it. */
export async function publishComposedTree(
  terminal: Terminal,
  target: Target,
  options: Omit<ComposedPublishOptions, 'onProgress'>,
  started: number,
): Promise<void> {
  const { publishComposed } = await import('../publish/composed/publish-composed.ts');
  const summary = await publishComposed(target, {
    ...options,
    onProgress: terminal.progress({
      read: { label: 'comparing with the target', amount: items('file') },
      send: { label: 'sending', amount: size },
      delete: { label: 'deleting', amount: items('file') },
    }),
  });
  const milliseconds = Math.round(performance.now() - started);
  const { head, before, dropped, done, traffic } = summary;
  const facts = { target: target.name, out: options.out, generation: head.generation, before, generations: head.log.count, milliseconds };
  warnOfUnreadable(terminal, summary, target.name);
  if (options.dryRun) return await reportPlan(terminal, summary, facts, target.name);
  if (summary.unreadable > 0) terminal.exitCode = 1;
  warnIfUnconditional(terminal, summary.isConditional);
  terminal.summary(
    {
      ...facts,
      done,
      dropped,
      unreadable: summary.unreadable,
      requests: trafficOf(traffic),
      bytes: traffic.sent,
      conditional: summary.isConditional,
      invalidate: summary.invalidate,
    },
    summary.isIdle
      ? [
          `${target.name} is up to date: generation ${number(head.generation)}, ${plural(traffic.requests, 'request')}, ${seconds(milliseconds)}`,
        ]
      : [
          `published generation ${number(head.generation)} to ${target.name} in ${seconds(milliseconds)}`,
          `  files     ${number(done.uploads)} sent, ${number(done.deletes)} deleted`,
          ...(dropped === 0 ? [] : [`  dropped   ${plural(dropped, 'earlier generation')}`]),
          `  traffic   ${size(traffic.sent)} in ${plural(traffic.requests, 'request')}`,
          ...invalidateLines(summary.invalidate),
        ],
  );
  const rows = [
    ['generation', number(head.generation)],
    ['sent', plural(done.uploads, 'file')],
    ['deleted', plural(done.deletes, 'file')],
    ['traffic', `${size(traffic.sent)} in ${plural(traffic.requests, 'request')}`],
    ['time', seconds(milliseconds)],
  ] as const;
  addToJobSummary(terminal, summaryTable(['published', target.name], rows));
}

async function reportPlan(
  terminal: Terminal,
  { uploads, bytes, deletes, dropped, unreadable, refusals, chunks }: ComposedPublishSummary,
  facts: object,
  target: string,
): Promise<void> {
  const steps: { readonly action: 'upload' | 'delete'; readonly path: string; readonly bytes: number }[] = [];
  for await (const chunk of chunks()) steps.push({ action: 'upload', path: chunkPath(chunk.hash), bytes: chunk.bytes });
  for (const hash of deletes) steps.push({ action: 'delete', path: chunkPath(hash), bytes: 0 });
  terminal.summary(
    {
      ...facts,
      plan: { uploads, deletes: deletes.length, bytes, dropped, unreadable },
      refusals: refusals.map(({ code, message, expected, found, hint }) => ({ code, message, expected, found, hint })),
      steps,
    },
    [
      ...steps.map(({ action, path, bytes: length }) => `${action} ${path}${action === 'delete' ? '' : `: ${plural(length, 'byte')}`}`),
      `plan for ${target}; nothing was changed`,
      `  uploads   ${plural(uploads, 'file')}`,
      `  deletes   ${plural(deletes.length, 'file')}`,
      `  dropped   ${plural(dropped, 'earlier generation')}`,
      `  traffic   ${size(bytes)}`,
      ...refusals.map(({ code, message, expected, hint }) => `would be refused (${code}): ${message}; expected: ${expected}; ${hint}`),
    ],
  );
  // the exit code stops a job at the plan, before the publish
  for (const refusal of refusals) {
    terminal.exitCode = FAILURES[refusal.code];
    addToJobSummary(terminal, refusalTable(refusal));
  }
}

/** Goes back to an earlier generation at a target, and reports it. */
export async function rollBack(
  terminal: Terminal,
  target: Target,
  wanted: number | true,
  options: Pick<ComposedPublishOptions, 'concurrency' | 'retryPolicy' | 'signal' | 'cacheControl' | 'isSinglePublisher' | 'dryRun'>,
  started: number,
): Promise<void> {
  const { rollback } = await import('../publish/composed/rollback.ts');
  const summary: RollbackSummary = await rollback(target, { ...options, generation: wanted === true ? undefined : wanted });
  const milliseconds = Math.round(performance.now() - started);
  const { head, before, time, traffic } = summary;
  warnIfUnconditional(terminal, summary.isConditional);
  const counts = `${plural(head.data.count, 'record')} of ${plural(head.account.count, 'account')}`;
  terminal.summary(
    {
      target: target.name,
      generation: head.generation,
      before,
      time,
      generations: head.log.count,
      records: head.data.count,
      accounts: head.account.count,
      requests: trafficOf(traffic),
      conditional: summary.isConditional,
      invalidate: summary.invalidate,
      milliseconds,
    },
    [
      options.dryRun
        ? `would go back from generation ${number(before)} to ${number(head.generation)} at ${target.name}; nothing was changed`
        : `went back from generation ${number(before)} to ${number(head.generation)} at ${target.name} in ${seconds(milliseconds)}`,
      `  state     ${counts}, built ${time}`,
      ...invalidateLines(summary.invalidate),
    ],
  );
}

function invalidateLines(paths: readonly string[]): string[] {
  return paths.length === 0 ? [] : [`next: if a CDN caches the target, invalidate ${paths.join(' ')}`];
}

function warnIfUnconditional(terminal: Terminal, isConditional: boolean): void {
  if (isConditional) return;
  terminal.warn('this object store has no conditional writes: two publishes at the same time may not detect each other');
}

/** Warns if not everything of the states that a run deletes can be found. */
function warnOfUnreadable(terminal: Terminal, { unreadable }: ComposedPublishSummary, target: string): void {
  if (unreadable === 0) return;
  const what = `${plural(unreadable, 'part')} of earlier generations at ${target} ${unreadable === 1 ? 'is' : 'are'} missing or damaged`;
  terminal.warn(
    `${what}: chunks that only they name stay at the target. If they must go, publish to a new prefix or folder and delete this one`,
  );
}

/**
 * Refuses options that have no effect on a rollback.
 * @throws Failure usage
 */
export function refuseWithRollback({ keep, append, dropGenerations, repair }: ComposedOnly & { readonly repair?: true | undefined }): void {
  const [first] = [
    ...(keep === undefined ? [] : ['--keep']),
    ...(append === undefined ? [] : ['--append']),
    ...(dropGenerations === undefined ? [] : ['--drop-generations']),
    ...(repair === undefined ? [] : ['--repair']),
  ];
  if (first === undefined) return;
  throw new Failure('usage', `${first} cannot be used with --rollback`, {
    place: { field: first },
    expected: `--rollback or ${first}`,
    found: 'both',
    hint: `leave out ${first}: --rollback writes the head of an earlier generation, without a local tree, and deletes nothing`,
  });
}

/**
 * Refuses the options that only the composed layout has.
 * @throws Failure usage
 */
export function refuseComposedOnly({ keep, append, dropGenerations, singlePublisher }: ComposedOnly): void {
  const given = [
    ...(keep === undefined ? [] : ['--keep']),
    ...(append === undefined ? [] : ['--append']),
    ...(dropGenerations === undefined ? [] : ['--drop-generations']),
    ...(singlePublisher === undefined ? [] : ['--single-publisher']),
  ];
  const [first] = given;
  if (first === undefined) return;
  throw new Failure('usage', `${first} cannot be used with the static layout`, {
    place: { field: first },
    expected: `a tree with the composed layout, or no ${first}`,
    found: 'a tree with the static layout',
    hint: `leave out ${first}: the static layout has no generations, and a lease prevents two publishes at the same time`,
  });
}

/** Refuses --gzip. @throws Failure usage */
export function refuseGzip(gzip: true | undefined): void {
  if (gzip === undefined) return;
  throw new Failure('usage', '--gzip cannot be used with the composed layout', {
    place: { field: '--gzip' },
    expected: 'a tree with the static layout, or no --gzip',
    found: 'a tree with the composed layout',
    hint: 'leave out --gzip: the name of a chunk is the hash of its bytes, and the host can compress the pages that it composes',
  });
}
