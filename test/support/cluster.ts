import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../publish/stores.ts';
import { type Requirement, requirement } from './requirement.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../../.ci/cluster', import.meta.url));

export const SLURM: Requirement = requirement('Slurm (slurm-wlm, munge)', () =>
  ['/usr/sbin/slurmctld', '/usr/sbin/slurmd', '/usr/sbin/munged', '/usr/bin/sbatch'].every((path) => existsSync(path)),
);
export const PARALLEL: Requirement = requirement('GNU parallel', () => existsSync('/usr/bin/parallel'));

/** A task of an array, or a job without an array. */
export interface Task {
  /** The name of its job. */
  readonly name: string;
  /** Its number in the array; undefined if the job has none. */
  readonly index: number | undefined;
  /** As Slurm writes it: PENDING, RUNNING, COMPLETED, FAILED. */
  readonly state: string;
  readonly node: string;
  readonly restarts: number;
}

/** A Slurm cluster of the nodes n1 and n2 that runs on this machine. Each node runs two tasks at a time. */
export class Cluster {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async start(): Promise<Cluster> {
    const folder = join(mkdtempSync(join(tmpdir(), 'palimpsest-slurm-')), 'cluster');
    await run(SCRIPT, ['up', folder, String(await freePort())]);
    return new Cluster(folder);
  }

  /** The environment in which sbatch and the other commands of Slurm reach the cluster. */
  get env(): Readonly<Record<string, string>> {
    return { SLURM_CONF: join(this.#folder, 'slurm.conf') };
  }

  /** Kills a node with all its tasks. The scheduler requeues them. */
  async killNode(name: string): Promise<void> {
    await run(SCRIPT, ['kill-node', this.#folder, name]);
  }

  async startNode(name: string): Promise<void> {
    await run(SCRIPT, ['start-node', this.#folder, name]);
  }

  /** Returns all tasks of this cluster. Tasks of an array that did not start yet can be one entry without an index. */
  async tasks(): Promise<readonly Task[]> {
    const { stdout } = await run('scontrol', ['--oneliner', 'show', 'job'], { env: { ...process.env, ...this.env } });
    return stdout.split('\n').filter((line) => line.startsWith('JobId=')).map(taskIn);
  }

  /** Waits until a condition is true of the tasks, and returns them. */
  async until(isTrue: (tasks: readonly Task[]) => boolean): Promise<readonly Task[]> {
    for (;;) {
      const tasks = await this.tasks();
      if (isTrue(tasks)) return tasks;
      await setTimeout(200);
    }
  }

  /** Waits until no task is pending or running, and returns all tasks. */
  ended(): Promise<readonly Task[]> {
    return this.until((tasks) => tasks.length > 0 && tasks.every(({ state }) => !/PENDING|RUNNING|COMPLETING|CONFIGURING|REQUEUE/.test(state)));
  }

  async stop(): Promise<void> {
    await run(SCRIPT, ['down', this.#folder]);
    rmSync(join(this.#folder, '..'), { recursive: true, force: true });
  }
}

function taskIn(line: string): Task {
  const value = (name: string) => new RegExp(`(?:^| )${name}=(\\S*)`).exec(line)?.[1] ?? '';
  const index = value('ArrayTaskId');
  return {
    name: value('JobName'),
    index: /^\d+$/.test(index) ? Number(index) : undefined,
    state: value('JobState'),
    node: value('NodeList'),
    restarts: Number(value('Restarts')),
  };
}
