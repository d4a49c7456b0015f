import { renameSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Certificate } from './certificate.ts';

/** A script that repeatedly requests a session from Ceph's STS and keeps the newest where programs look for one. */
export interface Mint {
  readonly stop: () => Promise<void>;
}

/** Keeps sessions in a profile without their expiry, as many programs do. */
export async function startMint(folder: string, env: Readonly<Record<string, string>>, profile: string): Promise<Mint> {
  Object.assign(process.env, env);
  const { S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ profile });
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, `${name}.new`), text);
    renameSync(join(folder, `${name}.new`), join(folder, name));
  };
  const mint = async () => {
    const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken } = await client.config.credentials();
    write('session.json', JSON.stringify({ Version: 1, AccessKeyId, SecretAccessKey, SessionToken }));
    const lines = [`aws_access_key_id=${AccessKeyId}`, `aws_secret_access_key=${SecretAccessKey}`, `aws_session_token=${SessionToken}`];
    write('aws-credentials', ['[kept]', ...lines, ''].join('\n'));
  };
  await mint();
  let isOver = false;
  const minting = (async () => {
    for (; !isOver; await setTimeout(300)) await mint();
  })();
  const stop = async () => {
    isOver = true;
    await minting;
  };
  return { stop };
}

/** An STS for web identities whose sessions end earlier than stated, as they seem to do for a slow clock. */
export async function startShortSts(upstream: string, duration: number): Promise<Server> {
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const asked = new URLSearchParams(Buffer.concat(pieces).toString());
    if (asked.get('Action') !== 'AssumeRoleWithWebIdentity') return void outgoing.writeHead(400).end();
    asked.set('DurationSeconds', String(duration));
    const answer = await fetch(upstream, { method: 'POST', body: asked });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    outgoing.writeHead(answer.status, { 'Content-Type': 'text/xml' });
    outgoing.end((await answer.text()).replace(/(?<=<Expiration>)[^<]*/, later));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** An identity provider like that of a CI service. It serves the certificate of its token signatures. */
export async function startIssuer({ cert }: Certificate): Promise<Server> {
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

/** Makes Ceph trust an identity provider. Ceph's administration tool cannot do this. */
export async function trustIssuer(endpoint: string, issuer: string): Promise<void> {
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
