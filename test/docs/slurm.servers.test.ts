import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster, SLURM, type Task } from '../support/cluster.ts';
import { outcomeOf, serialOutcome, writeSnapshots } from '../support/cluster-runs.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN, palimpsestHere } from '../support/palimpsest.ts';
import { isFull } from '../support/proof.ts';
import { shell } from '../support/shell.ts';
import { folderOfFile } from '../whole/stores.ts';
import { blocksOf } from './blocks.ts';
import { machine } from './machine.ts';

const PARTS = 4;
const [PAGE = ''] = blocksOf('cluster.md')('Slurm', 'sh');
const SCRIPT = PAGE.replace('--array=0-99', `--array=0-${PARTS - 1}`).replace('/100', `/${PARTS}`);
/** The jobs in which a node is killed. */
const KILLED = isFull ? ['normalize', 'observe'] : ['normalize'];

/**
 * The program on the nodes. In the job STOP_IN, a task of n1 stops as soon as it works with a file in the folder, and never ends:
 * it is in the middle of its work when its node is killed. It does that only the first time.
 */
const NODE_PROGRAM = `
shift
if [ "$SLURM_JOB_NAME-$SLURMD_NODENAME-$SLURM_RESTART_COUNT" != "$STOP_IN-n1-" ]; then exec "${process.execPath}" "${BIN}" "$@"; fi
"${process.execPath}" "${BIN}" "$@" &
until ls -l /proc/$!/fd 2>/dev/null | grep -q "/run-1/" || ! kill -0 $! 2>/dev/null; do :; done
kill -STOP $!
touch "stopped-$SLURM_JOB_ID"
tail -f /dev/null`;

/** How many tasks of a job end in a state. */
type Ends = { readonly [jobAndState: string]: number };

function endsOf(tasks: readonly Task[]): Ends {
  const ends: Record<string, number> = {};
  for (const { name, state } of tasks) ends[`${name} ${state}`] = (ends[`${name} ${state}`] ?? 0) + 1;
  return ends;
}

/** Returns the text of the logs of a job. */
function logsOf(work: string, job = ''): string {
  const names = readdirSync(work).filter((name) => name.startsWith(job) && name.endsWith('.log'));
  return names.map((name) => readFileSync(join(work, name), 'utf8')).join('');
}

describe.skipIf(SLURM.skip)('the script for Slurm in docs/cluster.md', { timeout: 600_000 }, () => {
  let cluster: Cluster;
  /** A folder in which each task ran twice at the same time. */
  const twice = folderOfFile();
  let tasksOfTwice: readonly Task[] = [];

  beforeAll(async () => {
    cluster = await Cluster.start();
    writeSnapshots(join(twice, 'snapshots'));
    await submit(SCRIPT, twice);
    await submit(SCRIPT.replace('palimpsest.db', 'other.db'), twice);
    tasksOfTwice = await cluster.ended(twice);
  }, 600_000);
  afterAll(() => cluster?.stop());

  /** Runs a script of the page, as a user of the cluster. */
  async function submit(script: string, work: string, stopIn = ''): Promise<void> {
    const env = { ...cluster.env, PATH: machine(work, { npx: NODE_PROGRAM }), STOP_IN: stopIn };
    expect(await shell(script, work, env)).toMatchObject({ status: 0 });
  }

  it('gives the store and the tree of observe, also if each task runs twice at the same time', async () => {
    expect(endsOf(tasksOfTwice), logsOf(twice)).toEqual({ 'normalize COMPLETED': 2 * PARTS, 'observe COMPLETED': 2 });
    expect(new Set(tasksOfTwice.map(({ node }) => node))).toEqual(new Set(['n1', 'n2']));
    for (const name of ['palimpsest.db', 'other.db']) expect(await outcomeOf(join(twice, name))).toEqual(await serialOutcome());
    expect(readdirSync(join(twice, 'run-1'))).toHaveLength(PARTS);
  });

  it.each(KILLED)('gives the same store if a node is killed during %s, and its tasks are requeued', async (job) => {
    const work = temporaryFolder();
    writeSnapshots(join(work, 'snapshots'));
    await submit(SCRIPT, work, job);
    await cluster.until(work, () => readdirSync(work).some((name) => name.startsWith('stopped-')));
    await cluster.killNode('n1');
    const tasks = await cluster.ended(work);
    await cluster.startNode('n1');
    expect(endsOf(tasks), logsOf(work)).toEqual({ 'normalize COMPLETED': PARTS, 'observe COMPLETED': 1 });
    const restarted = tasks.filter(({ restarts }) => restarts > 0);
    expect(restarted.map(({ name }) => name)).toContain(job);
    expect(new Set(restarted.map(({ node }) => node))).toEqual(new Set(['n2']));
    expect(await outcomeOf(join(work, 'palimpsest.db'))).toEqual(await serialOutcome());
  });

  it('cancels the second job if a task fails, and its log names the file', async () => {
    const work = temporaryFolder();
    writeSnapshots(join(work, 'snapshots'));
    writeFileSync(join(work, 'snapshots/broken.ndjson'), '{"screen_name":7}\n');
    await submit(SCRIPT, work);
    expect(endsOf(await cluster.ended(work))).toEqual({ 'normalize COMPLETED': PARTS - 1, 'normalize FAILED': 1, 'observe CANCELLED': 1 });
    expect(logsOf(work, 'part-')).toContain('broken.ndjson');
  });

  it('repeats one part that is missing or damaged, which observe names', async () => {
    rmSync(join(twice, 'palimpsest.db'));
    const part = join(twice, 'run-1/part-1.ndjson.gz');
    const observe = () => palimpsestHere(['observe', 'run-1', '--store', 'palimpsest.db'], { cwd: twice });
    truncateSync(part, readFileSync(part).length - 1);
    expect(await observe()).toMatchObject({ code: 1, stderr: expect.stringContaining('part-1.ndjson.gz') });
    rmSync(part);
    expect(await observe()).toMatchObject({ code: 1, stderr: expect.stringContaining('no part 1') });
    await submit(SCRIPT.replace(/--array=\S+/, '--array=1'), twice);
    await cluster.ended(twice);
    expect(await outcomeOf(join(twice, 'palimpsest.db'))).toEqual(await serialOutcome());
  });
});
