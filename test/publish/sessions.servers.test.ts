import { readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { palimpsest } from '../support/palimpsest.ts';
import { runAndKill } from '../whole/killing.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences } from '../whole/trees.ts';
import { type Certificate, makeCertificate, openssl, webToken } from './certificate.ts';
import { type Gate, type Refusal, ranOut, startGate } from './gate.ts';
import { Growing, publishArgs, publishedAt, publishJson } from './growing.ts';
import { CEPH, type CephStore, portOf, rclone, startCeph } from './stores.ts';
import { type Mint, startIssuer, startMint, startShortSts, trustIssuer } from './sts.ts';

const folder = folderOfFile();
// these tests wait in parallel, and longer than others
vi.setConfig({ testTimeout: 180_000 });
const ROLE = 'arn:aws:iam:::role/publisher';
/** How long a session lasts at the store, in seconds. */
const SECONDS = 4;
/** Milliseconds that every request takes. With two at a time, a run takes longer than several sessions last. */
const DELAY = 150;

/** Amazon's response to an expired session, from its list of errors. */
const AMAZONS: Refusal = {
  status: 400,
  headers: { 'Content-Type': 'application/xml' },
  body: '<?xml version="1.0"?><Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>',
};

describe.skipIf(CEPH.requirement.skip || rclone.skip || openssl.skip)('publishing to Ceph with sessions of its STS', () => {
  let store: CephStore;
  let issuer: Server;
  let certificate: Certificate;
  let mint: Mint;
  let history: Growing;
  let settings: Readonly<Record<string, string>>;
  const gates: Gate[] = [];

  beforeAll(async () => {
    certificate = makeCertificate(folder);
    [store, issuer, history] = await Promise.all([
      startCeph(),
      startIssuer(certificate),
      Growing.of(folder, 'history', { records: 600, accounts: 40 }),
    ]);
    const host = `127.0.0.1:${portOf(issuer)}`;
    const statement = [
      { Effect: 'Allow', Principal: { AWS: ['arn:aws:iam:::user/test'] }, Action: ['sts:AssumeRole'] },
      {
        Effect: 'Allow',
        Principal: { Federated: [`arn:aws:iam:::oidc-provider/${host}`] },
        Action: ['sts:AssumeRoleWithWebIdentity'],
        Condition: { StringEquals: { [`${host}:app_id`]: 'sts.amazonaws.com' } },
      },
    ];
    const policy = (Statement: readonly object[]) => JSON.stringify({ Version: '2012-10-17', Statement });
    await store.administer(['caps', 'add', '--uid=test', '--caps=oidc-provider=*']);
    await store.administer(['role', 'create', '--role-name=publisher', '--path=/', `--assume-role-policy-doc=${policy(statement)}`]);
    const allowed = [{ Effect: 'Allow', Action: ['s3:*'], Resource: 'arn:aws:s3:::*' }];
    await store.administer(['role-policy', 'put', '--role-name=publisher', '--policy-name=all', `--policy-doc=${policy(allowed)}`]);
    await trustIssuer(store.endpoint, `http://${host}`);
    const role = ['[profile role]', `role_arn = ${ROLE}`, 'source_profile = source', `duration_seconds = ${SECONDS}`];
    const source = ['[profile source]', 'aws_access_key_id = test', 'aws_secret_access_key = testtest'];
    // records each call
    const process = ['[profile process]', `credential_process = sh -c "echo >> $ASKED; cat ${join(folder, 'session.json')}"`];
    writeFileSync(join(folder, 'aws-config'), [...source, ...role, ...process, ''].join('\n'));
    settings = {
      AWS_CONFIG_FILE: join(folder, 'aws-config'),
      AWS_SHARED_CREDENTIALS_FILE: join(folder, 'aws-credentials'),
      AWS_ENDPOINT_URL_STS: store.endpoint,
      AWS_REGION: 'us-east-1',
    };
    mint = await startMint(folder, settings, 'role');
  });
  afterAll(async () => {
    await mint?.stop();
    issuer?.close();
    for (const gate of gates) await gate.stop();
    await store?.stop();
  });

  /** A separate gate for each test, and the environment that directs the program through it. */
  async function open(profile?: string): Promise<{ readonly gate: Gate; readonly env: Readonly<Record<string, string>> }> {
    const gate = await startGate(store.endpoint);
    gates.push(gate);
    gate.delay = DELAY;
    const env = { ...settings, PALIMPSEST_ENDPOINT: gate.endpoint, ...(profile === undefined ? {} : { AWS_PROFILE: profile }) };
    return { gate, env };
  }

  const argsFor = (prefix: string) => publishArgs(history.out, `s3://history/${prefix}`, ['--concurrency', '2']);

  const expectThere = async (prefix: string) =>
    expect(differences(await publishedAt(CEPH, store, prefix, folder), history.files())).toEqual([]);

  it.concurrent('publishes while many sessions of a role with a known expiry end', async () => {
    const { gate, env } = await open('role');
    await publishJson(argsFor('role'), env);
    console.log(`a role: ${gate.seen.size} sessions of ${SECONDS} s, ${ranOut(gate)} of them refused`);
    expect(gate.seen.size).toBeGreaterThan(2);
    await expectThere('role');
  });

  it.concurrent.each([
    ['Ceph', undefined],
    ['Amazon', AMAZONS],
  ] as const)('refreshes sessions that the store rejects with the error response of %s', async (name, words) => {
    const { gate, env } = await open('process');
    gate.reword = words;
    const asked = join(folder, `asked ${name}`);
    await publishJson(argsFor(`process-${name}`), { ...env, ASKED: `'${asked}'` });
    const times = readFileSync(asked, 'utf8').length;
    console.log(`in the words of ${name}: ${times} sessions asked for, ${ranOut(gate)} of them refused after they had been taken`);
    expect(ranOut(gate)).toBeGreaterThan(0);
    // one refresh serves all requests that failed together
    expect(times).toBe(gate.seen.size);
    await expectThere(`process-${name}`);
  });

  it.concurrent('refreshes the sessions that a job gets for the token of its identity provider', async () => {
    const { gate, env } = await open();
    const iss = `http://127.0.0.1:${portOf(issuer)}`;
    const path = join(folder, 'web-identity');
    const write = () => {
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss, aud: 'sts.amazonaws.com', sub: 'repo:somebody/history:ref:refs/heads/main', iat: now, nbf: now, exp: now + 60 };
      writeFileSync(path, webToken(claims, certificate));
    };
    write();
    const sts = await startShortSts(store.endpoint, SECONDS);
    try {
      const endpoint = `http://127.0.0.1:${portOf(sts)}`;
      const job = { AWS_ENDPOINT_URL_STS: endpoint, AWS_ROLE_ARN: ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: path };
      await publishJson(argsFor('job'), { ...env, ...job });
      console.log(`a web identity: ${gate.seen.size} sessions, ${ranOut(gate)} of them refused after they had been taken`);
      expect(ranOut(gate)).toBeGreaterThan(0);
      await expectThere('job');
    } finally {
      sts.close();
    }
  });

  it.concurrent('reads a credentials file again that another program updates', async () => {
    const { gate, env } = await open('kept');
    await publishJson(argsFor('kept'), env);
    console.log(`a kept file: ${gate.seen.size} sessions, ${ranOut(gate)} of them refused after they had been taken`);
    expect(ranOut(gate)).toBeGreaterThan(0);
    await expectThere('kept');
  });

  it.concurrent('continues after a kill if Amazon rejects HEAD requests without a reason', async () => {
    const { gate, env } = await open('kept');
    gate.delay = 20;
    const { signal } = await runAndKill(
      argsFor('asking'),
      { sign: () => gate.writes.filter((path) => path.includes('/rest/')).length > 3, delay: 0 },
      { env: { ...env, AWS_PROFILE: 'role' } },
    );
    expect(signal).toBe('SIGKILL');
    gate.seen.clear();
    gate.delay = DELAY;
    gate.reword = AMAZONS;
    expect(await publishJson(argsFor('asking'), env)).toMatchObject({ resumed: true });
    expect(ranOut(gate)).toBeGreaterThan(0);
    await expectThere('asking');
  });

  it.concurrent('reports an expired session at once if no other session is available', async () => {
    const { AccessKeyId, SecretAccessKey, SessionToken } = JSON.parse(readFileSync(join(folder, 'session.json'), 'utf8'));
    const keys = { AWS_ACCESS_KEY_ID: AccessKeyId, AWS_SECRET_ACCESS_KEY: SecretAccessKey, AWS_SESSION_TOKEN: SessionToken };
    await setTimeout(SECONDS * 1_000 + 1_000);
    for (const words of [undefined, AMAZONS]) {
      const { gate, env } = await open();
      gate.reword = words;
      const { code, stdout, stderr } = await palimpsest([...argsFor('over'), '--json'], { env: { ...env, ...keys } });
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'target-denied' } });
      expect(gate.seen.get(SessionToken)?.requests).toBeLessThanOrEqual(4);
      for (const secret of [SecretAccessKey, SessionToken]) expect(stdout + stderr).not.toContain(secret);
    }
  });

  it.concurrent('corrects its clock by the clock of the store', async () => {
    const { gate, env } = await open('source');
    gate.delay = 0;
    const path = join(folder, 'late.mjs');
    writeFileSync(path, LATE);
    await publishJson(argsFor('late'), { ...env, NODE_OPTIONS: `--import=${path}` });
    expect(gate.seen.get('')?.refused).toBe(1);
    await expectThere('late');
  });
});

/** Sets a program's clock back by more than the maximum age of signatures. */
const LATE = `
const { now } = Date;
Date.now = () => now() - 20 * 60_000;
globalThis.Date = class extends Date {
  constructor(...parts) {
    super(...(parts.length === 0 ? [Date.now()] : parts));
  }
};
`;
