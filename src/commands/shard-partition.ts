import { Option } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import { MAX_PARTS } from '../shard/shard-run.ts';
import { number, plural, seconds, size } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { hintCommandFor } from './hint-command.ts';
import { skippedLines } from './observe-report.ts';
import { examples, JSON_HELP, type Program, QUIET_HELP, wholeNumber } from './options.ts';
import { shardChoice, shardOf } from './scheduler.ts';
import { openRunFiles, PLACE_HELP, placeOptions, shardPlace } from './shard-place.ts';
import { addSnapshotOptions, observeOptions } from './snapshot-options.ts';
import { addSourceOptions, remoteSources, sources } from './source-options.ts';

const KEPT = 'the file of this shard was not written';

export function declareShardPartition(shard: Program, terminal: Terminal): void {
  const command = shard
    .command('partition')
    .summary('step 1: read one shard of the sources')
    .description(
      'Reads one shard of the sources, and writes its snapshots as one file to a place that all tasks share, sorted by account. ' +
        'Each task gets the same sources and another shard. A task can run again, and twice at the same time.',
    )
    .argument('<source...>', 'files, folders, archives, s3://bucket/prefix or https://…', sources)
    .addOption(
      new Option('--shard <i/n>', 'which of how many shards to read, from 0; /N takes the number from the scheduler')
        .env('PALIMPSEST_SHARD')
        .argParser(shardChoice),
    )
    .addOption(
      new Option('--partitions <p>', 'the number of partitions, and so of tasks in step 2')
        .env('PALIMPSEST_PARTITIONS')
        .argParser(wholeNumber(1, MAX_PARTS))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--to <folder>', `${PLACE_HELP}; a folder is created if it does not exist`)
        .env('PALIMPSEST_TO')
        .argParser(shardPlace)
        .makeOptionMandatory(),
    );
  addSourceOptions(addSnapshotOptions(command))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest shard partition grab/ --shard 0/4 --partitions 16 --to /shared/run', 'the first of four shards'],
        [
          'palimpsest shard partition grab/ --partitions 16 --to /shared/run --rejects rejects-$SLURM_ARRAY_TASK_ID.ndjson',
          'the shard of this task of a Slurm array; input that cannot be used goes to a file of this task',
        ],
        ['palimpsest shard partition s3://grabs/2019 --shard 0/4 --partitions 16 --to s3://private-bucket/run', 'without a shared folder'],
      ),
    )
    .action(async (addresses, options) => {
      terminal.setOutput(options);
      const own = shardOf(options.shard, terminal.io.env);
      if (addresses.includes('-')) throw standardInput();
      const [{ inputsOf }, { RejectsFile }, { partitionSources }] = await Promise.all([
        import('../sources/inputs.ts'),
        import('../sources/rejects.ts'),
        import('../shard/partition.ts'),
      ]);
      const started = performance.now();
      const patterns = { include: options.include ?? [], exclude: options.exclude ?? [] };
      const remote = remoteSources(options, terminal, KEPT);
      const inputs = inputsOf(addresses, terminal.io.stdin, patterns, remote);
      const hintCommand = await hintCommandFor(terminal, addresses, observeOptions(options));
      const rejects =
        options.rejects === undefined ? undefined : new RejectsFile(options.rejects, [...inputs.flatMap((input) => input.path ?? [])]);
      const from = options.from === 'auto' ? undefined : options.from;
      const { files, close } = await openRunFiles(options.to, options, terminal, KEPT);
      try {
        const summary = await partitionSources(inputs, files, {
          shard: own,
          partitions: options.partitions,
          snapshots: { from, observedAt: options.observedAt, unescape: options.unescape ?? false, command: hintCommand },
          onReject: rejects && ((inputError) => rejects.add(inputError)),
          beforeCommit: rejects && (() => rejects.append()),
          signal: terminal.stopSignal,
          onProgress: terminal.progress({
            read: { label: 'reading', amount: size },
            write: { label: 'writing', amount: items('snapshot') },
            upload: { label: 'uploading', amount: size },
          }),
        });
        rejects?.keep();
        const took = performance.now() - started;
        terminal.summary(
          { shard: own.number, shards: own.shards, partitions: options.partitions, ...summary, milliseconds: Math.round(took) },
          [
            `wrote ${summary.file} (${size(summary.bytes)}) in ${seconds(took)}`,
            `  sources   ${number(summary.sources.shard)} of ${number(summary.sources.all)}`,
            `  snapshots ${number(summary.snapshots)}`,
            ...skippedLines(summary),
            ...(summary.rejected === 0 ? [] : [`  rejected  ${number(summary.rejected)}, written to ${options.rejects}`]),
            `next, after all ${plural(own.shards, 'shard')}: ${await terminal.command('shard fold', { '--partition': '0', ...placeOptions(options) }, [options.to])}, and so on`,
          ],
        );
      } finally {
        rejects?.discard();
        remote.close();
        close();
      }
    });
}

function standardInput(): Failure {
  return new Failure('usage', 'standard input cannot be divided into shards', {
    expected: 'sources that each task can read',
    found: '-',
    hint: 'write it to a file that all tasks share, and name that file',
  });
}
