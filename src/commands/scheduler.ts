import { InvalidArgumentError } from '@commander-js/extra-typings';
import { Failure } from '../contract/failure.ts';
import { MAX_PARTS } from '../shard/shard-run.ts';
import type { ProcessIO } from '../terminal/process-io.ts';

/** The place of this task among the tasks of an array, as a scheduler gives it in variables. */
export interface ArrayTask {
  /** From 0. */
  readonly number: number;
  /** The number of all tasks; undefined if the scheduler does not tell it. */
  readonly tasks: number | undefined;
}

/** The value of `--shard`. Without a number, the scheduler gives it. */
export interface ShardChoice {
  readonly number: number | undefined;
  readonly shards: number;
}

/** Parses `I/N`, or `/N`. */
export function shardChoice(text: string): ShardChoice {
  const [, first = '', second = ''] = /^(\d*)\/(\d+)$/.exec(text) ?? [];
  const shards = Number(second);
  const number = first === '' ? undefined : Number(first);
  if (shards >= 1 && shards <= MAX_PARTS && (number ?? 0) < shards) return { number, shards };
  throw new InvalidArgumentError(`Expected I/N, such as 0/4: N from 1 to ${MAX_PARTS}, and I from 0 to N - 1. Or /N in an array of tasks.`);
}

/**
 * Returns the shard of this task: of the option, or else of the scheduler.
 * @throws Failure usage
 */
export function shardOf(choice: ShardChoice | undefined, env: ProcessIO['env']): { readonly number: number; readonly shards: number } {
  if (choice?.number !== undefined) return { number: choice.number, shards: choice.shards };
  const task = arrayTask(env, '--shard');
  const shards = choice?.shards ?? task?.tasks;
  const isArray = task?.tasks === undefined || task.tasks === shards;
  if (task !== undefined && shards !== undefined && task.number < shards && isArray) return { number: task.number, shards };
  throw new Failure('usage', 'the shard of this task is unknown', {
    place: { field: '--shard' },
    expected: 'the option, or the variables of a scheduler',
    found: task === undefined ? 'neither' : `task ${task.number} of ${task.tasks ?? 'an unknown number'}`,
    hint: 'set --shard I/N, or --shard /N if the scheduler only has the number of the task',
  });
}

/**
 * Returns the partition of this task: of the option, or else of the scheduler.
 * @throws Failure usage
 */
export function partitionOf(number: number | undefined, env: ProcessIO['env']): ArrayTask {
  if (number !== undefined) return { number, tasks: undefined };
  const task = arrayTask(env, '--partition');
  if (task !== undefined) return task;
  throw new Failure('usage', 'the partition of this task is unknown', {
    place: { field: '--partition' },
    expected: 'the option, or the variables of a scheduler',
    found: 'neither',
    hint: 'set --partition K: the first partition is 0',
  });
}

/**
 * Reads the variables of Slurm, of Kubernetes, or of AWS Batch. The first of them that is set wins.
 * @throws Failure usage for a part of a Slurm array: its numbers do not show where the whole array begins
 */
function arrayTask(env: ProcessIO['env'], option: '--shard' | '--partition'): ArrayTask | undefined {
  const value = (name: string) => (/^\d+$/.test(env[name] ?? '') ? Number(env[name]) : undefined);
  const slurm = value('SLURM_ARRAY_TASK_ID');
  if (slurm !== undefined) {
    const [least = 0, most = 0, tasks] = ['MIN', 'MAX', 'COUNT'].map((name) => value(`SLURM_ARRAY_TASK_${name}`));
    if (least <= 1 && tasks === most - least + 1) return { number: slurm - least, tasks };
    throw new Failure('usage', 'this Slurm array does not have the task numbers of a whole run', {
      place: { field: option },
      expected: 'task numbers that start at 0 or 1, without gaps',
      found: `an array of ${tasks ?? 'an unknown number of'} tasks, from ${least} to ${most}`,
      hint: `set ${option} yourself, with $SLURM_ARRAY_TASK_ID`,
    });
  }
  const [kubernetes, batch] = [value('JOB_COMPLETION_INDEX'), value('AWS_BATCH_JOB_ARRAY_INDEX')];
  if (kubernetes !== undefined) return { number: kubernetes, tasks: undefined };
  return batch === undefined ? undefined : { number: batch, tasks: value('AWS_BATCH_JOB_ARRAY_SIZE') };
}
