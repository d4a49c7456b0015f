import { Option } from '@commander-js/extra-typings';
import { MAX_PARTS } from '../shard/shard-run.ts';
import { number, seconds, size } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { examples, JSON_HELP, type Program, path, QUIET_HELP, wholeNumber } from './options.ts';
import { partitionOf } from './scheduler.ts';
import { openRunFiles, PLACE_HELP, placeOptions, shardPlace } from './shard-place.ts';
import { addNetworkOptions } from './snapshot-options.ts';
import { addSourceOptions } from './source-options.ts';

export function declareShardFold(shard: Program, terminal: Terminal): void {
  const command = shard
    .command('fold')
    .summary('step 2: compute the changes of one partition')
    .description(
      'Computes the changes of all accounts of one partition, and writes them as one file. All tasks of step 1 must have succeeded. A task ' +
        'can run again, and twice at the same time.',
    )
    .argument('<folder>', PLACE_HELP, shardPlace)
    .addOption(
      new Option('--partition <k>', 'which partition to fold, from 0 (default: the number of the task of the scheduler)')
        .env('PALIMPSEST_PARTITION')
        .argParser(wholeNumber(0, MAX_PARTS - 1)),
    )
    .addOption(
      new Option('--store <file>', 'the store of earlier runs; it saves work in step 3, and does not change the result')
        .env('PALIMPSEST_STORE')
        .argParser(path),
    );
  addSourceOptions(addNetworkOptions(command))
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest shard fold /shared/run --partition 0', 'the first partition'],
        [
          'palimpsest shard fold /shared/run --store palimpsest.db',
          'the partition of this task of an array, with the accounts of an existing store',
        ],
        ['palimpsest shard fold s3://private-bucket/run --partition 0', 'the files are in an object store'],
      ),
    )
    .action(async (folder, options) => {
      terminal.setOutput(options);
      const task = partitionOf(options.partition, terminal.io.env);
      const { foldPartition } = await import('../shard/fold.ts');
      const started = performance.now();
      const { files, close } = await openRunFiles(folder, options, terminal, 'the file of this partition was not written');
      const summary = await foldPartition(files, {
        partition: task.number,
        partitions: task.tasks,
        network: { mention_url: options.mentionUrl, hashtag_url: options.hashtagUrl },
        store: options.store,
        signal: terminal.stopSignal,
        onProgress: terminal.progress({
          download: { label: 'downloading', amount: size },
          fold: { label: 'comparing', amount: items('snapshot') },
          write: { label: 'writing', amount: items('snapshot') },
          upload: { label: 'uploading', amount: size },
        }),
      }).finally(close);
      const took = performance.now() - started;
      terminal.summary({ partition: task.number, ...summary, milliseconds: Math.round(took) }, [
        `wrote ${summary.file} (${size(summary.bytes)}) in ${seconds(took)}`,
        `  snapshots ${number(summary.snapshots)}: ${number(summary.changed)} with changes, ${number(summary.snapshots - summary.changed)} without`,
        `next, after all partitions: ${await terminal.command('shard merge', placeOptions(options), [folder])}`,
      ]);
    });
}
