import { Option } from '@commander-js/extra-typings';
import { number, plural, seconds, size } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { allRejected } from './all-rejected.ts';
import { COMMIT_PHASES } from './commit-phases.ts';
import { hintCommandFor } from './hint-command.ts';
import { reportProblems } from './job-summary.ts';
import { nextBuild } from './next-build.ts';
import { conflictLines, isChanged, missingLines, summaryLines } from './observe-report.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';
import { addNetworkOptions, addSnapshotOptions, latestTime, observeOptions } from './snapshot-options.ts';
import { addSourceOptions, maxRejectedOption, remoteSources, SOURCE_HELP, share, sources } from './source-options.ts';

export function declareObserve(program: Program, terminal: Terminal): void {
  const command = program
    .command('observe')
    .summary('turn profile snapshots into change records')
    .description(
      'Reads profile snapshots, compares each with the stored state of the account, and adds one record for each field ' +
        'that changed. Snapshots may be in any order: they are sorted by time first. Adds everything or nothing.',
    )
    .argument('<source...>', SOURCE_HELP, sources)
    .addOption(
      new Option('--store <file>', 'the store; created if it does not exist')
        .env('PALIMPSEST_STORE')
        .argParser(path)
        .default(DEFAULT_STORE),
    )
    .addOption(maxRejectedOption())
    .addOption(
      new Option('--min-accounts <percentage>', 'refuse the run if it has a smaller share of the accounts of the run before')
        .env('PALIMPSEST_MIN_ACCOUNTS')
        .argParser(share)
        .default({ share: 0.5 }, '50%'),
    )
    .addOption(new Option('--dry-run', 'show what would be added, and do not change the store').env('PALIMPSEST_DRY_RUN'));
  addSourceOptions(addNetworkOptions(addSnapshotOptions(command)))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest observe snapshots/', 'every file in the folder'],
        ['palimpsest observe users.jsonl --observed-at 2017-09-19T20:47:28Z', 'snapshots that contain no time'],
        ['palimpsest observe rejects.ndjson', 'the rejects of an earlier run, after they were corrected'],
        [
          'palimpsest observe twitter-stream-2017-01.tar --rejects rejects.ndjson',
          'an archive of the Twitter stream; input that cannot be used goes to rejects.ndjson',
        ],
        ['palimpsest observe https://archive.example/grab.tar', 'an archive, without saving it'],
      ),
    )
    .action(async (addresses, options) => {
      terminal.setOutput(options);
      const [{ inputNamed, inputsOf }, { RejectsFile }, { isAllRejected, observeInputs }] = await Promise.all([
        import('../sources/inputs.ts'),
        import('../sources/rejects.ts'),
        import('../observe/observe.ts'),
      ]);
      const started = performance.now();
      const latest = latestTime(options);
      const patterns = { include: options.include ?? [], exclude: options.exclude ?? [] };
      const remote = remoteSources(options, terminal, 'nothing was added');
      const inputs = inputsOf(addresses, terminal.io.stdin, patterns, remote);
      const command = await hintCommandFor(terminal, addresses, observeOptions(options));
      const rejects =
        options.rejects === undefined
          ? undefined
          : new RejectsFile(options.rejects, [options.store, ...inputs.flatMap((input) => input.path ?? [])]);
      const from = options.from === 'auto' ? undefined : options.from;
      try {
        const { refusal, ...summary } = await observeInputs(options.store, inputs, {
          snapshots: { from, observedAt: options.observedAt, latest, unescape: options.unescape ?? false, command },
          network: { mention_url: options.mentionUrl, hashtag_url: options.hashtagUrl },
          dryRun: options.dryRun,
          limits: { latest, maxRejected: options.maxRejected.share, minAccounts: options.minAccounts.share },
          openAgain: (name) => inputNamed(name, remote),
          onReject: rejects && ((inputError) => rejects.add(inputError)),
          beforeCommit: rejects && (() => rejects.append()),
          signal: terminal.stopSignal,
          onProgress: terminal.progress({
            read: { label: 'reading', amount: size },
            compare: { label: 'comparing', amount: items('snapshot') },
            ...COMMIT_PHASES,
          }),
        });
        rejects?.keep();
        if (refusal !== undefined) throw refusal;
        if (options.rejects !== undefined && isAllRejected(summary)) throw allRejected('observe', summary.rejected, options.rejects);
        const took = performance.now() - started;
        reportProblems(terminal, 'observe', {
          rejected: summary.rejected,
          rejects: options.rejects,
          late: summary.late,
          conflicts: summary.conflicts.count,
          missing: summary.missing,
        });
        for (const line of [...missingLines(summary), ...conflictLines(summary)]) terminal.alert(line);
        const rereads = options.rejects === undefined ? '' : await terminal.command('observe', {}, [options.rejects]);
        terminal.summary({ ...summary, dry_run: options.dryRun ?? false, store: options.store, milliseconds: Math.round(took) }, [
          `observed ${plural(inputs.length, 'source')} in ${seconds(took)}`,
          ...summaryLines(summary),
          ...(summary.rejected === 0 ? [] : [`  rejected  ${number(summary.rejected)}, written to ${options.rejects}`]),
          ...(summary.rejected === 0 ? [] : [`to observe the rejected items: correct them in ${options.rejects}, then run ${rereads}`]),
          options.dryRun
            ? `nothing was written: run again without --dry-run to add this to ${options.store}`
            : await nextBuild(terminal, isChanged(summary)),
        ]);
      } finally {
        rejects?.discard();
        remote.close();
      }
    });
}
