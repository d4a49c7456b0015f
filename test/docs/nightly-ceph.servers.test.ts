import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, GetObjectCommand, PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CEPH, type CephStore, startCeph } from '../publish/stores.ts';
import { temporaryFolder } from '../support/folder.ts';
import { shell } from '../support/shell.ts';
import { blocks, DONE, JOB_ENV, night, snapshot, variables } from './nightly-page.ts';

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly [part: string]: unknown;
}

const statementsIn = (policy = ''): readonly Statement[] => JSON.parse(policy).Statement;
/** The policy of the role, without the trust policy that follows it. */
const ROLE = statementsIn(blocks('Permissions of the job', 'json')[0]);
/** The policy for public objects, without the one for CloudFront. */
const PUBLIC = statementsIn(blocks('How readers reach the pages', 'json')[0]);
const CHECKS = (blocks('How readers reach the pages', 'sh')[0] ?? '').trim().split('\n');
const [VARIANT = ''] = blocks('Other object stores', 'yaml');

const KEYS = { AWS_ACCESS_KEY_ID: 'nightly', AWS_SECRET_ACCESS_KEY: 'nightly-secret' };
const CREDENTIALS = { accessKeyId: KEYS.AWS_ACCESS_KEY_ID, secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY };
const { BUCKET = '', STORE_BUCKET = '' } = JOB_ENV;

/** Stands for the AWS CLI if it is not installed: aws s3 cp FILE s3://BUCKET/KEY. */
const AWS = fileURLToPath(new URL('s3-copy.js', import.meta.url));
const hasAws = spawnSync('aws', ['--version']).status === 0;

const asList = (value: string | readonly string[]) => (typeof value === 'string' ? [value] : value);

describe.skipIf(CEPH.requirement.skip)('the job in docs/nightly.md at another object store', () => {
  let store: CephStore;
  let owner: S3Client;

  beforeAll(async () => {
    store = await startCeph();
    await store.administer([
      ...['user', 'create', '--uid', 'nightly', '--display-name', 'nightly'],
      ...['--access-key', KEYS.AWS_ACCESS_KEY_ID, '--secret-key', KEYS.AWS_SECRET_ACCESS_KEY],
    ]);
    const credentials = { accessKeyId: 'test', secretAccessKey: 'testtest' };
    owner = new S3Client({ endpoint: store.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    for (const Bucket of [BUCKET, STORE_BUCKET]) await owner.send(new CreateBucketCommand({ Bucket }));
  });

  afterAll(async () => {
    owner?.destroy();
    await store?.stop();
  });

  /** Allows the user of the job what the policy of the page allows, except one action, and readers what the page allows them. */
  async function allow(except?: string): Promise<void> {
    for (const Bucket of [BUCKET, STORE_BUCKET]) {
      const isHere = (resource: string) => resource === `arn:aws:s3:::${Bucket}` || resource.startsWith(`arn:aws:s3:::${Bucket}/`);
      const role = ROLE.map((statement) => ({
        ...statement,
        Action: asList(statement.Action).filter((action) => action !== except),
        Principal: { AWS: ['arn:aws:iam:::user/nightly'] },
      }));
      const Statement = [...role, ...PUBLIC]
        .map((statement) => ({ ...statement, Resource: asList(statement.Resource).filter(isHere) }))
        .filter(({ Resource, Action }) => Resource.length > 0 && Action.length > 0);
      await owner.send(new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Version: '2012-10-17', Statement }) }));
    }
  }

  /** The variables of the variant, with the address and the keys of the store in place of the examples. */
  function variant(): Record<string, string> {
    const example = variables(VARIANT);
    expect(Object.keys(example)).toEqual(expect.arrayContaining(['PALIMPSEST_ENDPOINT', 'AWS_ENDPOINT_URL', ...Object.keys(KEYS)]));
    const values = Object.entries(example).map(([name, value]) => [
      name,
      value.replace('https://ACCOUNT.r2.cloudflarestorage.com', store.endpoint),
    ]);
    return { ...Object.fromEntries(values), ...KEYS };
  }

  /** Runs one night with this store. */
  const nightAt = (work: string, name: string, snapshots: readonly unknown[]) =>
    night(work, name, snapshots, { env: variant(), programs: hasAws ? {} : { aws: `exec "${process.execPath}" "${AWS}" "$@"` } });

  // at Ceph, who writes an object may also read and delete it, so not each action can be tested
  it('fails with target-denied if its policy lacks an action', async () => {
    const action = 's3:PutObject';
    expect(new Set(ROLE.flatMap(({ Action }) => asList(Action)))).toContain(action);
    await allow(action);
    expect(await nightAt(temporaryFolder(), 'first', [snapshot(1, 1)])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('(target-denied)'),
    });
  });

  it('runs two nights with the permissions of its policy, and only the site is public', async () => {
    const work = temporaryFolder();
    await allow();
    expect(await nightAt(work, 'first', [...[1, 2, 4, 5].map((id) => snapshot(id, 1)), { screen_name: 7 }])).toEqual(DONE);
    expect(
      await nightAt(
        work,
        'second',
        [1, 2, 3].map((id) => snapshot(id, 2)),
      ),
    ).toEqual(DONE);
    expect(JSON.parse(readFileSync(join(work, 'second/published.json'), 'utf8'))).toMatchObject({
      invalidate: ['/rest/*'],
      conditional: true,
    });
    // the commands with which a reader of the page checks the policies
    const statuses: string[] = [];
    for (const check of CHECKS) {
      const command = check.replace(/https:\/\/([a-z-]+)\.s3\.eu-central-1\.amazonaws\.com/, `${store.endpoint}/$1`);
      statuses.push((await shell(command, work, {})).stdout.trim());
    }
    expect(statuses).toEqual(['200', '403']);
    expect(JSON.parse(readFileSync(join(work, 'page.json'), 'utf8'))).toMatchObject({ count: 7 });
    const rejected = new GetObjectCommand({ Bucket: STORE_BUCKET, Key: 'rejects/first-1.ndjson' });
    const job = new S3Client({ endpoint: store.endpoint, region: 'us-east-1', forcePathStyle: true, credentials: CREDENTIALS });
    const body = await (await job.send(rejected)).Body?.transformToString();
    job.destroy();
    expect(JSON.parse(body ?? '')).toMatchObject({ code: 'bad-field', item: { screen_name: 7 } });
  }, 120_000);
});
