import { execFile } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { palimpsest } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences, pagesIn } from '../whole/trees.ts';
import { type Certificate, makeCertificate, openssl, webToken } from './certificate.ts';
import { ASSERTION, AZURE_HOSTS, type Entra, startEntra } from './entra.ts';
import { type Gate, type Refusal, startGate } from './gate.ts';
import { Growing, publishArgs, publishJson } from './growing.ts';
import { azuriteConnection, CEPH, type CephStore, fetchAll, portOf, rclone, type Store, startAzurite, startCeph } from './stores.ts';

const run = promisify(execFile);
const folder = folderOfFile();

/** What Amazon answers to a session that is over, as its list of errors gives it. */
const AMAZONS: Refusal = {
  status: 400,
  headers: { 'Content-Type': 'application/xml' },
  body: '<?xml version="1.0"?><Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>',
};

/** What Azure answers to a bearer token that is over. */
const AZURES: Refusal = {
  status: 401,
  headers: {
    'Content-Type': 'application/xml',
    'x-ms-error-code': 'InvalidAuthenticationInfo',
    'WWW-Authenticate':
      'Bearer authorization_uri=https://login.microsoftonline.com/11111111-1111-1111-1111-111111111111/oauth2/authorize resource_id=https://storage.azure.com',
  },
  body: '<?xml version="1.0"?><Error><Code>InvalidAuthenticationInfo</Code><Message>Lifetime validation failed. The token is expired.</Message></Error>',
};

/** How many of the credentials that came were taken first and refused later. */
function ranOut({ seen }: Gate): number {
  return [...seen.values()].filter(({ requests, refused }) => refused > 0 && refused < requests).length;
}

describe.skipIf(CEPH.requirement.skip || rclone.skip || openssl.skip)('publishing to Ceph with sessions of its STS', () => {
  const role = 'arn:aws:iam:::role/publisher';
  /** Seconds that a session lasts at the store. */
  const SECONDS = 3;
  let store: CephStore;
  let gate: Gate;
  let issuer: Server;
  let certificate: Certificate;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    certificate = makeCertificate(folder);
    [store, issuer] = await Promise.all([startCeph(), startIssuer(certificate)]);
    gate = await startGate(store.endpoint);
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
    writeFileSync(
      join(folder, 'aws-config'),
      `[profile source]
aws_access_key_id = test
aws_secret_access_key = testtest
[profile role]
role_arn = ${role}
source_profile = source
duration_seconds = ${SECONDS}
[profile process]
credential_process = sh ${join(folder, 'process.sh')}
`,
    );
    env = {
      AWS_CONFIG_FILE: join(folder, 'aws-config'),
      AWS_SHARED_CREDENTIALS_FILE: join(folder, 'aws-credentials'),
      AWS_ENDPOINT_URL_STS: store.endpoint,
      AWS_REGION: 'us-east-1',
      PALIMPSEST_ENDPOINT: gate.endpoint,
    };
    // a session of the real STS, without the time of its end, as many such programs give them
    writeFileSync(join(folder, 'session.mjs'), SESSION);
    writeFileSync(
      join(folder, 'process.sh'),
      `echo >> ${join(folder, 'asked')}\nAWS_PROFILE=role "${process.execPath}" --no-warnings ${join(folder, 'session.mjs')}\n`,
    );
  });
  afterAll(async () => {
    issuer?.close();
    await gate?.stop();
    await store?.stop();
  });
  beforeEach(() => {
    gate.seen.clear();
    gate.delay = 150;
    gate.reword = undefined;
    writeFileSync(join(folder, 'asked'), '');
    writeFileSync(join(folder, 'aws-credentials'), '');
  });

  async function expectThere(prefix: string, history: Growing): Promise<void> {
    const fetched = join(folder, `${prefix}-fetched`);
    await fetchAll(CEPH, store.endpoint, prefix, fetched);
    const files = new Map(pagesIn(fetched));
    expect(files.delete('publish.json')).toBe(true);
    expect(differences(files, history.files())).toEqual([]);
  }

  it('goes through many sessions of a role that say when they end', async () => {
    const history = await Growing.of(folder, 'role', { records: 600, accounts: 40 });
    const args = publishArgs(history.out, 's3://history/role', ['--concurrency', '2']);
    await publishJson(args, { ...env, AWS_PROFILE: 'role' });
    expect(gate.seen.size).toBeGreaterThan(2);
    console.log(`a role: ${gate.seen.size} sessions of ${SECONDS} s`);
    await expectThere('role', history);
  });

  it.each([
    ['Ceph', undefined],
    ['Amazon', AMAZONS],
  ] as const)('renews sessions that the store refuses in the words of %s', async (name, words) => {
    gate.reword = words;
    const history = await Growing.of(folder, `process ${name}`, { records: 600, accounts: 40 });
    const args = publishArgs(history.out, `s3://history/process-${name}`, ['--concurrency', '2']);
    await publishJson(args, { ...env, AWS_PROFILE: 'process' });
    const asked = readFileSync(join(folder, 'asked'), 'utf8').length;
    console.log(`in the words of ${name}: ${asked} sessions asked for, ${ranOut(gate)} of them refused after they had been taken`);
    expect(ranOut(gate)).toBeGreaterThan(0);
    // one renews for all that were refused at once
    expect(asked).toBe(gate.seen.size);
    await expectThere(`process-${name}`, history);
  });
});

/** Prints a session of the profile in the environment as a credential_process does. */
const SESSION = `
import { S3Client } from '${import.meta.resolve('@aws-sdk/client-s3')}';
const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken } = await new S3Client({}).config.credentials();
console.log(JSON.stringify({ Version: 1, AccessKeyId, SecretAccessKey, SessionToken }));
`;

/** An identity provider such as a CI service has one: it shows the certificate that its tokens are signed with. */
async function startIssuer({ cert }: Certificate): Promise<Server> {
  const x5c = [cert.replaceAll(/-----[A-Z ]+-----|\n/g, '')];
  const server = createServer((incoming, outgoing) => {
    const issuer = `http://${incoming.headers.host}`;
    const isDocument = incoming.url === '/.well-known/openid-configuration';
    outgoing.setHeader('Content-Type', 'application/json');
    outgoing.end(
      JSON.stringify(isDocument ? { issuer, jwks_uri: `${issuer}/keys` } : { keys: [{ kty: 'RSA', alg: 'RS256', use: 'sig', x5c }] }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Has Ceph trust an identity provider; its administrator's tool does not know how. */
async function trustIssuer(endpoint: string, issuer: string): Promise<void> {
  const { S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'testtest' } });
  const { hostname, port, host } = new URL(endpoint);
  const asked = { Action: 'CreateOpenIDConnectProvider', Version: '2010-05-08', Url: issuer };
  const lists = { 'ClientIDList.member.1': 'sts.amazonaws.com', 'ThumbprintList.member.1': '00'.repeat(20) };
  const body = new URLSearchParams({ ...asked, ...lists }).toString();
  const signer = await client.config.signer();
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded' };
  const signed = await signer.sign({
    method: 'POST',
    protocol: 'http:',
    hostname,
    port: Number(port),
    path: '/',
    query: {},
    headers,
    body,
  });
  const answer = await fetch(`${endpoint}/`, { method: 'POST', headers: signed.headers, body });
  if (!answer.ok) throw new Error(`the identity provider was not taken: ${answer.status} ${await answer.text()}`);
}
