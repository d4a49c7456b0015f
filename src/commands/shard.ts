import type { Terminal } from '../terminal/terminal.ts';
import type { Program } from './options.ts';
import { declareShardFold } from './shard-fold.ts';
import { declareShardMerge } from './shard-merge.ts';
import { declareShardPartition } from './shard-partition.ts';

/** Declares the group `shard`: `observe` in three steps, whose tasks run on many machines. */
export function declareShard(program: Program, terminal: Terminal): void {
  const shard = program
    .command('shard')
    .summary('observe on many machines')
    .description('Observes snapshots in three steps, whose tasks any scheduler can run on many machines.');
  declareShardPartition(shard, terminal);
  declareShardFold(shard, terminal);
  declareShardMerge(shard, terminal);
}
