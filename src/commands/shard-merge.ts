import { Option } from '@commander-js/extra-typings';
import { number, seconds, size } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { allRejected } from './all-rejected.ts';
import { COMMIT_PHASES } from './commit-phases.ts';
import { nextBuild } from './next-build.ts';
import { conflictLines, isChanged, summaryLines } from './observe-report.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';
import { openRunFiles, PLACE_HELP, shardPlace } from './shard-place.ts';
import { addSourceOptions } from './source-options.ts';

export function declareShardMerge(shard: Program, terminal: Terminal): void {
  const command = shard
    .command('merge')
    .summary('step 3: write the store')
    .description(
      'Adds the changes of all partitions to a store, in one transaction. All tasks of steps 1 and 2 must have succeeded. The store is the same as ' +
        'after `palimpsest observe` with the same sources.',
    )
    .argument('<folder>', PLACE_HELP, shardPlace)
    .addOption(
      new Option('--store <file>', 'the store; created if it does not exist')
        .env('PALIMPSEST_STORE')
        .argParser(path)
        .default(DEFAULT_STORE),
    )
    .addOption(
      new Option('--rejects <file>', 'write snapshots that cannot be added to this file, and add the rest')
        .env('PALIMPSEST_REJECTS')
        .argParser(path),
    );
  addSourceOptions(command)
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText(
      'after',
      examples(
        ['palimpsest shard merge /shared/run --store palimpsest.db', 'after all partitions are folded'],
        ['palimpsest shard merge s3://private-bucket/run --store palimpsest.db', 'the files are in an object store'],
      ),
    )
    .action(async (folder, options) => {
      terminal.setOutput(options);
      const [{ RejectsFile }, { mergePartitions }, { isAllRejected }] = await Promise.all([
        import('../sources/rejects.ts'),
        import('../shard/merge.ts'),
        import('../observe/merge.ts'),
      ]);
      const started = performance.now();
      const rejects = options.rejects === undefined ? undefined : new RejectsFile(options.rejects, [options.store]);
      const { files, close } = await openRunFiles(folder, options, terminal, 'nothing was added');
      try {
        const summary = await mergePartitions(files, options.store, {
          onReject: rejects && ((inputError) => rejects.add(inputError)),
          beforeCommit: rejects && (() => rejects.append()),
          signal: terminal.stopSignal,
          onProgress: terminal.progress({
            download: { label: 'downloading', amount: size },
            compare: { label: 'comparing', amount: items('snapshot') },
            ...COMMIT_PHASES,
          }),
        });
        rejects?.keep();
        if (options.rejects !== undefined && isAllRejected(summary)) throw allRejected('observe', summary.rejected, options.rejects);
        const took = performance.now() - started;
        for (const line of conflictLines(summary)) terminal.warn(line);
        terminal.summary({ ...summary, store: options.store, milliseconds: Math.round(took) }, [
          `merged ${folder} in ${seconds(took)}`,
          ...summaryLines(summary),
          ...(summary.rejected === 0 ? [] : [`  rejected  ${number(summary.rejected)}, written to ${options.rejects}`]),
          await nextBuild(terminal, isChanged(summary)),
        ]);
      } finally {
        close();
        rejects?.discard();
      }
    });
}
