import { Option } from '@commander-js/extra-typings';
import { number, seconds } from '../terminal/amounts.ts';
import { items } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { COMMIT_PHASES } from './commit-phases.ts';
import { nextBuild } from './next-build.ts';
import { conflictLines, isChanged, summaryLines } from './observe-report.ts';
import { DEFAULT_STORE, examples, JSON_HELP, type Program, path, QUIET_HELP } from './options.ts';

export function declareShardMerge(shard: Program, terminal: Terminal): void {
  shard
    .command('merge')
    .summary('step 3: write the store')
    .description(
      'Adds the changes of all partitions to a store, in one transaction. All tasks of steps 1 and 2 must have succeeded. The store is the same as ' +
        'after `palimpsest observe` with the same sources.',
    )
    .argument('<folder>', 'the folder that all tasks share', path)
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
    )
    .addOption(new Option('--json', JSON_HELP).env('PALIMPSEST_JSON'))
    .addOption(new Option('-q, --quiet', QUIET_HELP).env('PALIMPSEST_QUIET'))
    .addHelpText('after', examples(['palimpsest shard merge /shared/run --store palimpsest.db', 'after all partitions are folded']))
    .action(async (folder, options) => {
      terminal.setOutput(options);
      const [{ RejectsFile }, { mergePartitions }] = await Promise.all([import('../sources/rejects.ts'), import('../shard/merge.ts')]);
      const started = performance.now();
      const rejects = options.rejects === undefined ? undefined : new RejectsFile(options.rejects, [options.store]);
      try {
        const summary = await mergePartitions(folder, options.store, {
          onReject: rejects && ((inputError) => rejects.add(inputError)),
          beforeCommit: rejects && (() => rejects.append()),
          signal: terminal.stopSignal,
          onProgress: terminal.progress({ compare: { label: 'comparing', amount: items('snapshot') }, ...COMMIT_PHASES }),
        });
        rejects?.keep();
        const took = performance.now() - started;
        for (const line of conflictLines(summary)) terminal.warn(line);
        terminal.summary({ ...summary, store: options.store, milliseconds: Math.round(took) }, [
          `merged ${folder} in ${seconds(took)}`,
          ...summaryLines(summary),
          ...(summary.rejected === 0 ? [] : [`  rejected  ${number(summary.rejected)}, written to ${options.rejects}`]),
          await nextBuild(terminal, isChanged(summary)),
        ]);
      } finally {
        rejects?.discard();
      }
    });
}
