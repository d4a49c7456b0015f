import { number, plural, seconds, size } from '../contract/amounts.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { SitePublishSummary } from '../versions/publish-site.ts';
import { addToJobSummary, summaryTable } from './job-summary.ts';
import { type NamedTarget, NEW_TARGET, trafficOf, trafficText } from './target-options.ts';

/** Prints what a publish of versions did, or would do. */
export function reportVersions(
  terminal: Terminal,
  summary: SitePublishSummary,
  target: NamedTarget,
  out: string | undefined,
  dryRun: boolean,
): void {
  const milliseconds = terminal.elapsed();
  const { newest, commit, before, next, removed, damaged, problems, isConditional, deleted, left, traffic } = summary;
  const current = newest?.commit.versions.at(-1);
  const kept = new Set(next === undefined ? before.map((one) => one.number) : next.kept.map((one) => one.number));
  const isNew = next !== undefined && before.length === 0;
  const isRewrite = next?.change === 'rewrite';
  const withdrawn = before.map((one) => one.number).filter((one) => !kept.has(one) && !(isRewrite && removed.includes(one)));
  const repair = dryRun ? 'a publish writes it again if a copy exists' : 'it is written again if a copy exists';
  for (const problem of problems) terminal.warn(`${problem} at ${target.name}: ${repair}`);
  if (damaged.length > 0) {
    terminal.warn(`versions whose data at ${target.name} is missing or damaged, which are withdrawn: ${damaged.join(', ')}`);
    terminal.exitCode = 1;
  }
  if (left !== undefined && left.length > 0) {
    terminal.warn(`${plural(left.length, 'file')} that no version needs will be deleted by the next run: run the same command again`);
    terminal.exitCode = 1;
  }
  if (isConditional === false)
    terminal.warn('this object store has no conditional writes: two runs at the same time may not detect each other');
  const invalidate = commit === undefined ? [] : [`${new URL(`${newest?.commit.base_url ?? 'http://host'}/`).pathname}*`];
  const rows = [
    ['withdrawn', withdrawn.length === 0 ? undefined : `${plural(withdrawn.length, 'version')}: ${withdrawn.join(', ')}`],
    [
      'removed',
      removed.length === 0
        ? undefined
        : `${plural(removed.length, 'version')} with removed accounts ${isRewrite ? 'rebuilt' : 'deleted'}: ${removed.join(', ')}`,
    ],
    ['note', isRewrite && removed.length > 0 ? 'rebuilt HTML pages have no former handles' : undefined],
    ['traffic', trafficText(target, traffic)],
    ['time', seconds(milliseconds)],
  ] as const;
  const lines = rows.map(([name, value]) => value !== undefined && `  ${name.padEnd(9)} ${value}`);
  const json = {
    target: target.name,
    isNew,
    out,
    number: current?.number ?? null,
    change: (dryRun ? next?.change : commit?.change) ?? null,
    versions: newest?.commit.versions.length ?? before.length,
    withdrawnNumbers: withdrawn,
    removedNumbers: removed,
    damagedNumbers: damaged,
    problems,
    deleted: deleted ?? 0,
    left: left?.length ?? 0,
    requests: trafficOf(traffic),
    bytes: traffic.sent,
    conditional: isConditional ?? null,
    invalidate,
    milliseconds,
  };
  if (dryRun) {
    const bytes = next?.added.reduce((sum, { file }) => sum + file.size, 0) ?? 0;
    const what = next === undefined ? 'nothing to publish' : `${next.change}: ${plural(next.added.length, 'file')} to send, ${size(bytes)}`;
    terminal.summary({ ...json, plan: { uploads: next?.added.length ?? 0, bytes } }, [
      `plan for ${target.name}; nothing was changed`,
      `  ${what}`,
      ...lines,
    ]);
    return;
  }
  const title =
    commit === undefined ? `${target.name} is up to date: version` : `${TITLES[commit.change] ?? commit.change} at ${target.name}: version`;
  terminal.summary(json, [
    `${title} ${number(current?.number ?? 0)} is current`,
    ...lines,
    ...invalidate.map((one) => `next: if a CDN caches the target, invalidate ${one}`),
  ]);
  const version = ['version', number(current?.number ?? 0)] as const;
  addToJobSummary(terminal, summaryTable(['published', target.name], [version, ['note', isNew ? NEW_TARGET : undefined], ...rows]));
}

const TITLES: { readonly [change: string]: string } = {
  publish: 'published',
  rollback: 'went back',
  keep: 'deleted versions',
  remove: 'deleted versions with removed accounts',
  rewrite: 'rebuilt versions without removed accounts',
  repair: 'replaced damaged versions',
  void: 'deleted what an earlier run left',
};
