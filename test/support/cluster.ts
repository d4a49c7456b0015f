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
  /** As Slurm writes it: PENDING, RUNNING, COMPLETED, FAILED. */
  readonly state: string;
  readonly node: string;
  readonly restarts: number;
}

/** The states of tasks that do not run again. */
const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT', 'OUT_OF_MEMORY', 'NODE_FAIL', 'DEADLINE']);

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

  /** Returns all tasks that were submitted from a folder. Tasks of an array that did not start yet can be one entry. */
  async tasks(folder: string): Promise<readonly Task[]> {
    const { stdout } = await run('scontrol', ['--oneliner', 'show', 'job'], { env: { ...process.env, ...this.env } });
    return stdout
      .split('\n')
      .filter((line) => valueIn(line, 'WorkDir') === folder)
      .map(taskIn);
  }

  /** Waits until a condition is true of the tasks of a folder, and returns them. */
  async until(folder: string, isTrue: (tasks: readonly Task[]) => boolean): Promise<readonly Task[]> {
    for (;;) {
      const tasks = await this.tasks(folder);
      if (isTrue(tasks)) return tasks;
      await setTimeout(200);
    }
  }

  /** Waits until no task of a folder is pending or running, and returns all of them. */
  ended(folder: string): Promise<readonly Task[]> {
    return this.until(folder, (tasks) => tasks.length > 0 && tasks.every(({ state }) => ENDED.has(state)));
  }

  async stop(): Promise<void> {
    await run(SCRIPT, ['down', this.#folder]);
    rmSync(join(this.#folder, '..'), { recursive: true, force: true });
  }
}

function taskIn(line: string): Task {
  return {
    name: valueIn(line, 'JobName'),
    state: valueIn(line, 'JobState'),
    node: valueIn(line, 'NodeList'),
    restarts: Number(valueIn(line, 'Restarts')),
  };
}

function valueIn(line: string, name: string): string {
  return new RegExp(`(?:^| )${name}=(\\S*)`).exec(line)?.[1] ?? '';
}
