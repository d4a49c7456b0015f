import { number, plural } from '../contract/amounts.ts';
import type { Step } from '../publish/planning/steps.ts';
import { REASONS } from '../publish/planning/tree-comparison.ts';
import type { PublishSummary } from '../publish/publish.ts';
import type { Line } from '../terminal/terminal.ts';
import { summaryTable } from './job-summary.ts';
import { type NamedTarget, NEW_TARGET, requestsText, trafficText } from './target-options.ts';

/** How many steps of a plan are shown as text. */
const MAX_STEPS = 10;

/** Returns a plan as text: the totals, the files and bytes for each reason, and the first steps. */
export function* planLines({ plan, refusals, removal, steps, wasInterrupted }: PublishSummary, target: NamedTarget): Generator<Line> {
  const first: Step[] = [];
  const kinds = new Map<string, { step: Step; files: number; bytes: number }>();
  let count = 0;
  for (const step of steps()) {
    if (count < MAX_STEPS) first.push(step);
    count += 1;
    const kind = `${step.action} ${step.reason}`;
    const { files, bytes } = kinds.get(kind) ?? { files: 0, bytes: 0 };
    kinds.set(kind, { step, files: files + 1, bytes: bytes + step.bytes });
  }
  yield `plan for ${target.name}${wasInterrupted ? ', which an earlier run did not finish' : ''}; nothing was changed`;
  yield `  uploads   ${plural(plan.uploads, 'file')}, ${number(plan.unchanged)} unchanged`;
  yield `  overlaps  ${plural(plan.overlaps, 'page')} to write twice${plan.overlaps === 0 ? '' : ', so that readers miss no record'}`;
  yield `  deletes   ${plural(plan.deletes, 'file')}`;
  yield removalLine(removal);
  yield `  traffic   ${trafficText(target, { sent: plan.bytes, requests: plan.requests.all })}${plan.cost === 0 ? '' : `, $${plan.cost.toFixed(4)} at list price`}`;
  for (const { step, files, bytes } of kinds.values()) {
    const size = step.action === 'delete' ? '' : `, ${plural(bytes, 'byte')}`;
    yield `  ${step.action.padEnd(7)}   ${plural(files, 'file')}${size}: ${reasonOf(step)}`;
  }
  if (count > 0) yield count > MAX_STEPS ? `first ${MAX_STEPS} of ${number(count)} steps (--json lists all):` : 'steps:';
  for (const step of first)
    yield `  ${step.action.padEnd(7)}  ${step.path}${step.action === 'delete' ? '' : `  ${plural(step.bytes, 'byte')}`}`;
  for (const gap of plan.readerGaps) yield `readers may miss records, whatever the order of the uploads: ${gap}`;
  for (const { code, message, expected, hint } of refusals) yield `would be refused (${code}): ${message}; expected: ${expected}; ${hint}`;
}

function reasonOf({ action, reason }: Step): string {
  return action === 'overlap' ? 'keeps its old records until the other pages are replaced' : REASONS[reason];
}

/** Names the removal from which more deletes follow than the limit allows. */
function removalLine(removal: PublishSummary['removal']): Line {
  if (removal === undefined) return false;
  return `  removal   the deletes follow from the removal of ${plural(removal.accounts, 'account')} with ${plural(removal.records, 'record')}`;
}

/** Returns a plan for JSON output. Its steps are generated while they are written. */
export function planObject({ plan, refusals, removal, steps, wasInterrupted }: PublishSummary): object {
  const { uploads, overlaps, deletes, unchanged, atTarget, bytes, requests, cost, readerGaps } = plan;
  return {
    plan: { uploads, overlaps, deletes, unchanged, atTarget, bytes, requests, cost, readerGaps, resumes: wasInterrupted },
    refusals: refusals.map(({ code, message, expected, found, hint }) => ({ code, message, expected, found, hint })),
    removal: removal ?? null,
    actions: shown(steps()),
  };
}

function* shown(steps: Iterable<Step>): Generator<Pick<Step, 'action' | 'path' | 'bytes' | 'reason'>> {
  for (const { action, path, bytes, reason } of steps) yield { action, path, bytes, reason };
}

export function summaryLines(summary: PublishSummary, target: NamedTarget, took: string): Line[] {
  const { done, plan, removal, traffic, wasInterrupted, invalidate } = summary;
  if (invalidate.length === 0) {
    const facts = [`${plural(plan.unchanged, 'file')} unchanged`, requestsText(target, traffic.requests), took];
    return [`${target.name} is up to date: ${facts.filter(Boolean).join(', ')}`];
  }
  return [
    `published to ${target.name} in ${took}${wasInterrupted ? ', completing an interrupted run' : ''}`,
    `  files     ${number(done.uploads)} sent, ${number(plan.unchanged)} unchanged, ${number(done.deletes)} deleted`,
    removalLine(removal),
    `  traffic   ${trafficText(target, traffic)}${traffic.retries === 0 ? '' : `, ${number(traffic.retries)} of them retries`}`,
    `next: if a CDN caches the target, invalidate ${invalidate.join(' ')}`,
  ];
}

/** Returns the result of a publish as a Markdown table, for the summary of a GitHub job. */
export function publishTable({ done, plan, traffic, isNew }: PublishSummary, target: NamedTarget, took: string): string {
  return summaryTable(
    ['published', target.name],
    [
      ['note', isNew ? NEW_TARGET : undefined],
      ['sent', plural(done.uploads, 'file')],
      ['unchanged', number(plan.unchanged)],
      ['deleted', number(done.deletes)],
      ['traffic', trafficText(target, traffic)],
      ['time', took],
    ],
  );
}
