import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster, SLURM, type Task } from '../support/cluster.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN } from '../support/palimpsest.ts';
import { outcomeOf, serialOutcome, writeSnapshots } from '../support/shard-runs.ts';
import { shell } from '../support/shell.ts';
import { blocksOf } from './blocks.ts';
import { machine } from './nightly-page.ts';

const [SCRIPT = '', REPAIR = ''] = blocksOf('cluster.md')('Slurm', 'sh');
const SHARDS = 4;
const PARTITIONS = 3;
/** The jobs in which a node is killed. */
const KILLED = process.env['PALIMPSEST_TEST_SLURM_KILLS'] === 'all' ? ['partition', 'fold'] : ['fold'];

/**
 * The program on the nodes. In the job STOP_IN, a task of n1 stops as soon as it works with a file in the folder, and never ends:
 * it is in the middle of its work when its node is killed. It does that only the first time.
 */
const NODE_PROGRAM = `
shift
if [ "$SLURM_JOB_NAME-$SLURMD_NODENAME-$SLURM_RESTART_COUNT" != "$STOP_IN-n1-" ]; then exec "${process.execPath}" "${BIN}" "$@"; fi
"${process.execPath}" "${BIN}" "$@" &
until ls -l /proc/$!/fd 2>/dev/null | grep -q "$FOLDER/" || ! kill -0 $! 2>/dev/null; do :; done
kill -STOP $!
touch "$FOLDER.stopped-$SLURM_ARRAY_TASK_ID"
tail -f /dev/null`;

/** How many tasks of a job end in a state. */
type Ends = { readonly [jobAndState: string]: number };

const ALL_COMPLETED: Ends = { 'partition COMPLETED': SHARDS, 'fold COMPLETED': PARTITIONS, 'merge COMPLETED': 1 };

function endsOf(tasks: readonly Task[]): Ends {
  const ends: Record<string, number> = {};
  for (const { name, state } of tasks) ends[`${name} ${state}`] = (ends[`${name} ${state}`] ?? 0) + 1;
  return ends;
}

/** Changes the values of a script of the page to those of a test. */
function inFolder(script: string, work: string): string {
  return script
    .replaceAll('/shared/snapshots', join(work, 'snapshots'))
    .replaceAll('/shared/run-1', join(work, 'run'))
    .replaceAll('/shared/data/palimpsest.db', join(work, 'palimpsest.db'))
    .replace('SHARDS=100', `SHARDS=${SHARDS}`)
    .replace('PARTITIONS=64', `PARTITIONS=${PARTITIONS}`);
}

/** Returns the text of the logs of a job. */
function logsOf(work: string, job: string): string {
  const names = readdirSync(work).filter((name) => name.startsWith(`${job}-`) && name.endsWith('.log'));
  return names.map((name) => readFileSync(join(work, name), 'utf8')).join('');
}

describe.skipIf(SLURM.skip)('observe-on-slurm.sh in docs/cluster.md', { timeout: 600_000 }, () => {
  let cluster: Cluster;
  /** A folder in which each task ran twice at the same time. */
  let twice = '';
  let tasksOfTwice: readonly Task[] = [];

  beforeAll(async () => {
    cluster = await Cluster.start();
    twice = mkdtempSync(join(tmpdir(), 'palimpsest-test-'));
    writeSnapshots(join(twice, 'snapshots'));
    await submit(SCRIPT, twice);
    await submit(SCRIPT.replace('palimpsest.db', 'other.db').replace('/shared/data/other.db', join(twice, 'other.db')), twice);
    tasksOfTwice = await cluster.ended(twice);
  }, 600_000);
  afterAll(async () => {
    await cluster?.stop();
    rmSync(twice, { recursive: true, force: true });
  });

  /** Runs a script of the page, as a user of the cluster. */
  async function onCluster(script: string, work: string, stopIn = ''): Promise<Awaited<ReturnType<typeof shell>>> {
    const path = `${machine(work, { npx: NODE_PROGRAM })}:${process.env['PATH']}`;
    return shell(inFolder(script, work), work, { ...cluster.env, PATH: path, STOP_IN: stopIn });
  }

  async function submit(script: string, work: string, stopIn?: string): Promise<void> {
    expect(await onCluster(script, work, stopIn)).toMatchObject({ status: 0 });
  }

  it('gives the store and the tree of observe, also if each task runs twice at the same time', async () => {
    expect(endsOf(tasksOfTwice), logsOf(twice, '')).toEqual({
      'partition COMPLETED': 2 * SHARDS,
      'fold COMPLETED': 2 * PARTITIONS,
      'merge COMPLETED': 2,
    });
    expect(new Set(tasksOfTwice.map(({ node }) => node))).toEqual(new Set(['n1', 'n2']));
    const serial = await serialOutcome(join(twice, 'snapshots'), join(twice, 'serial.db'));
    for (const name of ['palimpsest.db', 'other.db']) expect(await outcomeOf(join(twice, name))).toEqual(serial);
  });

  it.each(KILLED)('gives the same store if a node is killed during %s, and its tasks are requeued', async (job) => {
    const work = temporaryFolder();
    writeSnapshots(join(work, 'snapshots'));
    await submit(SCRIPT, work, job);
    await cluster.until(work, () => readdirSync(work).some((name) => name.startsWith('run.stopped-')));
    await cluster.killNode('n1');
    const tasks = await cluster.ended(work);
    await cluster.startNode('n1');
    expect(endsOf(tasks), logsOf(work, '')).toEqual(ALL_COMPLETED);
    const restarted = tasks.filter(({ restarts }) => restarts > 0);
    expect(restarted.map(({ name }) => name)).toContain(job);
    expect(new Set(restarted.map(({ node }) => node))).toEqual(new Set(['n2']));
    expect(await outcomeOf(join(work, 'palimpsest.db'))).toEqual(await serialOutcome(join(work, 'snapshots'), join(work, 'serial.db')));
  });

  it('cancels the later steps if a task fails, and its log names the file', async () => {
    const work = temporaryFolder();
    writeSnapshots(join(work, 'snapshots'));
    writeFileSync(join(work, 'snapshots/broken.ndjson'), '{"screen_name":7}\n');
    await submit(SCRIPT, work);
    expect(endsOf(await cluster.ended(work))).toEqual({
      'partition COMPLETED': SHARDS - 1,
      'partition FAILED': 1,
      'fold CANCELLED': 1,
      'merge CANCELLED': 1,
    });
    expect(logsOf(work, 'partition')).toContain('broken.ndjson');
  });

  it('comes with commands that repeat the damaged and missing partitions, which the merge names', async () => {
    const work = twice;
    const before = await outcomeOf(join(work, 'palimpsest.db'));
    rmSync(join(work, 'palimpsest.db'));
    const [, one = '', two = ''] = readdirSync(join(work, 'run'))
      .filter((name) => name.startsWith('partition'))
      .toSorted();
    const [damaged, missing] = [join(work, 'run', one), join(work, 'run', two)];
    const merge = `FOLDER=/shared/run-1\n${REPAIR.split('\n').slice(-2).join('\n')}`;
    rmSync(missing);
    expect(await onCluster(merge, work)).toMatchObject({ status: 1, stderr: expect.stringContaining(missing) });
    truncateSync(damaged, readFileSync(damaged).length - 1);
    expect(await onCluster(merge, work)).toMatchObject({ status: 1, stderr: expect.stringContaining(damaged) });
    expect(await onCluster(REPAIR, work)).toMatchObject({ status: 0 });
    expect(await outcomeOf(join(work, 'palimpsest.db'))).toEqual(before);
  });
});
