import type { Values } from '../command-line/commands.ts';
import { isAllRejected, observeInputs } from '../observe/observe.ts';
import { plural, seconds } from '../terminal/amounts.ts';
import { bytes, items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { reportProblems } from './job-summary.ts';
import { nextBuild } from './next-build.ts';
import { conflictLines, lateLines, missingLines, summaryLines } from './observe-report.ts';
import { contextOf, correctionLine, latestTime, nothingWritten, observeOptions, openSources, rejectedLine } from './sources.ts';
import { COMMIT_PHASES } from './with-store.ts';

export async function runObserve(terminal: Terminal, options: Values<'observe'>): Promise<void> {
  const latest = latestTime(options);
  const sources = openSources(options, terminal, options.store, 'nothing was added', observeOptions(options));
  const { inputs, reading } = sources;
  try {
    const { refusal, lastSeen, ...summary } = await observeInputs(options.store, inputs, {
      ...reading,
      snapshots: contextOf(options, sources, latest),
      templates: { mention_url: options.mentionUrl, hashtag_url: options.hashtagUrl },
      dryRun: options.dryRun,
      limits: {
        latest,
        maxRejected: options.maxRejected,
        minAccounts: options.minAccounts,
        allowLate: options.allowLate === true,
      },
      onProgress: terminal.progress({
        read: { label: 'reading', amount: bytes },
        compare: { label: 'comparing', amount: items('snapshot') },
        ...COMMIT_PHASES,
      }),
    });
    sources.keepRejects('observe', summary.rejected, refusal === undefined && isAllRejected(summary));
    if (refusal !== undefined) throw refusal;
    const milliseconds = terminal.elapsed();
    reportProblems(terminal, 'observe', summary, options);
    for (const line of [...lateLines(summary), ...missingLines(summary), ...conflictLines(summary)]) terminal.alert(line);
    const { records, accounts, ...counts } = summary;
    const byKind = { recordsByField: records, accountsByOutcome: accounts };
    terminal.summary({ ...counts, ...byKind, dryRun: options.dryRun, store: options.store, milliseconds }, [
      `observed ${plural(inputs.length, 'source')} in ${seconds(milliseconds)}`,
      ...summaryLines(summary),
      lastSeen > 0 && `  last seen ${plural(lastSeen, 'account')} not observed for 10 days, or observed again: the HTML pages change`,
      rejectedLine(summary.rejected, options),
      correctionLine('observe', summary.rejected, options, terminal),
      options.dryRun ? nothingWritten(options.store) : nextBuild(terminal, options.store, summary.changed + lastSeen > 0),
    ]);
  } finally {
    sources.close();
  }
}
