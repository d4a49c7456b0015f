import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openTarget } from '../../../src/storage/open-target.ts';
import { openRemote } from '../../../src/storage/remote.ts';
import { makeCertificate, openssl } from '../../publish/certificate.ts';
import { portOf } from '../../publish/stores.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** The headers of Azure's response to a token that it no longer accepts; an emulator does not send the challenge. */
const CHALLENGE =
  'Bearer authorization_uri=https://login.microsoftonline.com/tenant/oauth2/authorize resource_id=https://storage.azure.com';

it.skipIf(openssl.skip).each([
  ['with a challenge', { 'WWW-Authenticate': CHALLENGE }],
  ['without a challenge', {}],
])('asks for a new token when the store no longer accepts the present one, %s', async (_, challenge) => {
  const folder = temporaryFolder();
  let accepted = 'one';
  const asked: unknown[] = [];
  const server = createServer(makeCertificate(folder), ({ headers }, response) => {
    asked.push(headers.authorization);
    if (headers.authorization === `Bearer ${accepted}`)
      return void response.writeHead(200, { ETag: '"a"', 'Last-Modified': new Date(0).toUTCString(), 'Content-Length': 2 }).end('{}');
    response.writeHead(401, { 'Content-Type': 'application/xml', 'x-ms-error-code': 'InvalidAuthenticationInfo', ...challenge });
    response.end('<?xml version="1.0"?><Error><Code>InvalidAuthenticationInfo</Code><Message>The token is expired.</Message></Error>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  /** Has the tools of Azure, of which the client asks for a token, give this one. */
  const give = (accessToken: string) => {
    const token = JSON.stringify({ accessToken, expires_on: 4_102_444_800, subscription: 'a', tenant: 'b', tokenType: 'Bearer' });
    writeFileSync(join(folder, 'az'), `#!/bin/sh\necho '${token}'\n`, { mode: 0o755 });
  };
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  vi.stubEnv('AZURE_TOKEN_CREDENTIALS', 'AzureCliCredential');
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const endpoint = `https://127.0.0.1:${portOf(server)}/account`;
  const target = await openTarget('az://history', '', { endpoint, connections: 1, secrets: {} });
  onTestFinished(() => {
    target.close();
    server.close();
    server.closeAllConnections();
    vi.unstubAllEnvs();
  });
  const { signal } = new AbortController();
  const remote = openRemote(target, { concurrency: 4, retryPolicy: { attempts: 1, timeout: 10_000 }, signal });
  give('one');
  expect((await remote.get('a'))?.bytes.toString()).toBe('{}');
  accepted = 'two';
  give('two');
  expect((await remote.get('a'))?.bytes.toString()).toBe('{}');
  expect([...new Set(asked)]).toEqual(['Bearer one', 'Bearer two']);
  // there is no other token
  accepted = 'three';
  const before = asked.length;
  await expect(remote.get('a')).rejects.toMatchObject({ code: 'target-denied', found: expect.stringContaining('401') });
  expect(asked.length - before).toBeLessThanOrEqual(4);
});
