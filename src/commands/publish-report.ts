import { REASONS } from '../publish/planning/comparison.ts';
import type { Step } from '../publish/planning/steps.ts';
import type { PublishSummary } from '../publish/publish.ts';
import { number, plural, size } from '../terminal/amounts.ts';
import { summaryTable } from './job-summary.ts';

/** Returns a plan as text: every step with its reason, then the totals. */
export function* planLines({ plan, refusals, steps, wasInterrupted }: PublishSummary, target: string): Generator<string> {
  for (const step of steps()) yield line(step);
  for (const gap of plan.gaps) yield `readers may miss records, whatever the order of the uploads: ${gap}`;
  yield `plan for ${target}${wasInterrupted ? ', which an earlier run did not finish' : ''}; nothing was changed`;
  yield `  uploads   ${plural(plan.uploads, 'file')}, ${number(plan.unchanged)} unchanged`;
  yield `  overlaps  ${plural(plan.overlaps, 'page')} to write twice${plan.overlaps === 0 ? '' : ', so that readers miss no record'}`;
  yield `  deletes   ${plural(plan.deletes, 'file')}`;
  yield `  traffic   ${size(plan.bytes)} in ${plural(plan.requests.all, 'request')}${plan.cost === 0 ? '' : `, $${plan.cost.toFixed(4)} at list price`}`;
  for (const { code, message, expected, hint } of refusals) yield `would be refused (${code}): ${message}; expected: ${expected}; ${hint}`;
}

function line({ action, path, bytes, reason }: Step): string {
  const size = action === 'delete' ? '' : ` ${plural(bytes, 'byte')},`;
  return `${action.padEnd(6)} ${path}:${size} ${action === 'overlap' ? 'keeps its old records until the other pages are replaced' : REASONS[reason]}`;
}

/** Returns a plan for JSON output. Its steps are generated while they are written. */
export function planObject({ plan, refusals, steps, wasInterrupted }: PublishSummary): object {
  const { uploads, overlaps, deletes, unchanged, atTarget, bytes, requests, cost, gaps } = plan;
  return {
    plan: { uploads, overlaps, deletes, unchanged, atTarget, bytes, requests, cost, gaps, resumes: wasInterrupted },
    refusals: refusals.map(({ code, message, expected, found, hint }) => ({ code, message, expected, found, hint })),
    steps: steps(),
  };
}

/** Returns the result of a publish as text. */
export function summaryLines({ done, plan, traffic, wasInterrupted, invalidate }: PublishSummary, target: string, took: string): string[] {
  if (invalidate.length === 0) {
    return [`${target} is up to date: ${plural(plan.unchanged, 'file')} unchanged, ${plural(traffic.requests, 'request')}, ${took}`];
  }
  return [
    `published to ${target} in ${took}${wasInterrupted ? ', completing an interrupted run' : ''}`,
    `  files     ${number(done.uploads)} sent, ${number(plan.unchanged)} unchanged, ${number(done.deletes)} deleted`,
    `  traffic   ${size(traffic.sent)} in ${plural(traffic.requests, 'request')}${traffic.retries === 0 ? '' : `, ${number(traffic.retries)} of them retries`}`,
    `next: if a CDN caches the target, invalidate ${invalidate.join(' ')}`,
  ];
}

/** Returns the result of a publish as a Markdown table, for the summary of a GitHub job. */
export function publishTable({ done, plan, traffic }: PublishSummary, target: string, took: string): string {
  return summaryTable(
    ['published', target],
    [
      ['sent', plural(done.uploads, 'file')],
      ['unchanged', number(plan.unchanged)],
      ['deleted', number(done.deletes)],
      ['traffic', `${size(traffic.sent)} in ${plural(traffic.requests, 'request')}`],
      ['time', took],
    ],
  );
}
