import type { Values } from '../command-line/commands.ts';
import { number, plural, seconds } from '../contract/amounts.ts';
import { show } from '../contract/json.ts';
import { isAllRejected, type ObserveSummary } from '../observe/merge-snapshots.ts';
import { observeInputs } from '../observe/observe.ts';
import { printable } from '../terminal/printable.ts';
import { bytes, items } from '../terminal/progress.ts';
import type { Line, Terminal } from '../terminal/terminal.ts';
import { reportProblems } from './job-summary.ts';
import { nextBuild } from './next-step.ts';
import {
  contextOf,
  correctionLine,
  latestTime,
  nothingWritten,
  observeOptions,
  openSources,
  pathTimeLine,
  rejectedLine,
  skippedLine,
} from './sources.ts';
import { COMMIT_PHASES, newStoreLine } from './tree-state.ts';

export async function runObserve(terminal: Terminal, options: Values<'observe'>): Promise<void> {
  const latest = latestTime(options);
  const sources = openSources(options, terminal, options.store, 'nothing was added', observeOptions(options));
  const { inputs, reading } = sources;
  const newStore = newStoreLine(options.store, options.dryRun ? 'would create' : 'created');
  try {
    const { refusal, lastSeen, hasNewDay, ...summary } = await observeInputs(options.store, inputs, {
      ...reading,
      snapshots: contextOf(options, sources, latest),
      templates: { mention_url: options.mentionUrl, hashtag_url: options.hashtagUrl },
      dryRun: options.dryRun,
      limits: { ...options, latest },
      onProgress: terminal.progress({
        read: { label: 'reading', amount: bytes },
        compare: { label: 'comparing', amount: items('snapshot') },
        ...COMMIT_PHASES,
      }),
    });
    sources.keepRejects('observe', summary.rejected, isAllRejected(summary), refusal);
    const milliseconds = terminal.elapsed();
    reportProblems(terminal, 'observe', summary, options);
    for (const line of [...lateLines(summary), ...missingLines(summary), ...conflictLines(summary)]) terminal.alert(line);
    const { records, accounts, ...counts } = summary;
    const byKind = { recordsByField: records, accountsByOutcome: accounts };
    terminal.summary({ ...counts, ...byKind, dryRun: options.dryRun, store: options.store, milliseconds }, [
      `observed ${plural(inputs.length, 'source')} in ${seconds(milliseconds)}`,
      newStore,
      ...summaryLines(summary),
      lastSeen > 0 &&
        `  last seen ${plural(lastSeen, 'account')} not observed for 10 days, observed again, or observed for the first time: the HTML pages change`,
      hasNewDay && summary.changed + lastSeen === 0 && '  days      snapshots of new days: the HTML pages that show these days change',
      rejectedLine(summary.rejected, options),
      correctionLine('observe', summary.rejected, options, terminal),
      options.dryRun ? nothingWritten(options.store) : nextBuild(terminal, options.store, hasNewDay || summary.changed + lastSeen > 0),
    ]);
  } finally {
    sources.close();
  }
}

/** The maximum number of conflicts in the text output. */
const PRINTED_CONFLICTS = 5;

/** The first conflicts as text: snapshots of one account and one time with different values. */
function conflictLines({ conflicts: { count, listed } }: ObserveSummary): string[] {
  if (count === 0) return [];
  const lines = listed.slice(0, PRINTED_CONFLICTS).map(({ account, data_type, observed_at, values }) => {
    const versions = values.map(({ text, recorded, file, line }) => {
      const place = file === undefined ? 'already in the store' : `${file}, line ${line}`;
      return `${show(text)} (${place}${recorded ? '' : '; not recorded'})`;
    });
    return printable(`${data_type} of ${account} at ${observed_at}: ${versions.join(', ')}`);
  });
  const more = count > lines.length ? [`${number(count - lines.length)} more: --json lists the first ${number(listed.length)}`] : [];
  return [`${plural(count, 'conflict')}: snapshots of the same account and time have different values of a field`, ...lines, ...more];
}

/** The snapshots that are too old to be added, as text. */
function lateLines({ late }: ObserveSummary): string[] {
  return late === 0
    ? []
    : [
        `${plural(late, 'late snapshot')} not added: older than the newest of the account, with a value or handle that the store does not have`,
      ];
}

/** The maximum number of missing accounts in the text output. */
const PRINTED_MISSING = 10;

/** The accounts that earlier runs had and this one lacks, without those that are missing for long, as text. */
function missingLines({ missing: { newCount, listed } }: ObserveSummary): string[] {
  return newCount === 0 ? [] : [`${plural(newCount, 'account')} of earlier runs not observed${named(newCount, listed)}`];
}

/** The accounts that are missing for long. A warning each night would hide the new ones. */
function longMissingLine({ missing: { count, newCount, listed } }: ObserveSummary): Line {
  const others = count - newCount;
  return others > 0 && `  missing   ${plural(others, 'account')}, not observed for a longer time${named(others, listed.slice(newCount))}`;
}

/** The first names after a colon. Nothing if no name is listed: the new ones can fill the list. */
function named(count: number, names: readonly string[]): string {
  const printed = names.slice(0, Math.min(count, PRINTED_MISSING));
  const more = printed.length < count ? [`and ${number(count - printed.length)} more`] : [];
  return printed.length === 0 ? '' : `: ${[...printed, ...more].join(', ')}`;
}

/** What a run added to the store, as text. */
function summaryLines(summary: ObserveSummary): Line[] {
  return [
    `  snapshots ${number(summary.snapshots)}: ${number(summary.changed)} with changes, ${number(summary.unchanged)} without${summary.late === 0 ? '' : `, ${number(summary.late)} late`}`,
    `  records   ${recordsLine(summary)}`,
    `  accounts  ${number(summary.accounts.added)} new, ${number(summary.accounts.renamed)} renamed`,
    pathTimeLine(summary.path_times),
    summary.suspended > 0 && `  suspended ${plural(summary.suspended, 'snapshot')}, whose empty fields are unknown`,
    summary.excluded > 0 && `  excluded  ${plural(summary.excluded, 'snapshot')}, of accounts that were removed before`,
    longMissingLine(summary),
    skippedLine(summary),
  ];
}

function recordsLine({ records }: ObserveSummary): string {
  const all = Object.values(records).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(records).map(([type, count]) => `${type} ${number(count)}`);
  return all === 0 ? '0 new' : `${number(all)} new: ${parts.join(', ')}`;
}
