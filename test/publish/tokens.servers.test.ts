import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Finished, palimpsest } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences } from '../whole/trees.ts';
import { type Certificate, makeCertificate, openssl } from './certificate.ts';
import { ASSERTION, AZURE_HOSTS, type Entra, startEntra } from './entra.ts';
import { type Gate, type Refusal, ranOut, startGate } from './gate.ts';
import { Growing, publishArgs, publishedAt, publishJson } from './growing.ts';
import { AZURITE, rclone, type Store, startAzurite } from './stores.ts';

const folder = folderOfFile();
// these tests wait in parallel, and longer than others
vi.setConfig({ testTimeout: 180_000 });
/** How long the storage accepts a token, in seconds. */
const SECONDS = 4;
/** Milliseconds that every request takes. With two at a time, a run takes longer than several tokens last. */
const DELAY = 250;

/** Azure's response to a bearer token that it no longer accepts. */
const AZURES: Refusal = {
  status: 401,
  headers: {
    'Content-Type': 'application/xml',
    'x-ms-error-code': 'InvalidAuthenticationInfo',
    'WWW-Authenticate':
      'Bearer authorization_uri=https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/oauth2/authorize resource_id=https://storage.azure.com',
  },
  body: '<?xml version="1.0"?><Error><Code>InvalidAuthenticationInfo</Code><Message>Lifetime validation failed. The token is expired.</Message></Error>',
};

describe.skipIf(rclone.skip || openssl.skip)('publishing to Azurite with bearer tokens', () => {
  let certificate: Certificate;
  let store: Store;
  let history: Growing;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    certificate = makeCertificate(folder, AZURE_HOSTS);
    [store, history] = await Promise.all([startAzurite(certificate), Growing.of(folder, 'history', { records: 300, accounts: 20 })]);
    writeFileSync(join(folder, 'assertion'), ASSERTION);
    process.env['RCLONE_CA_CERT'] = certificate.path;
  });
  afterAll(async () => {
    for (const end of ends) await end();
    await store?.stop();
  });

  async function open(): Promise<{ readonly gate: Gate; readonly entra: Entra; readonly job: Readonly<Record<string, string>> }> {
    const gate = await startGate(store.endpoint, certificate);
    const entra = await startEntra(certificate, gate.endpoint);
    ends.push(gate.stop, entra.stop);
    // the environment of a job with an identity provider
    const job = {
      AZURE_TENANT_ID: '11111111-2222-3333-4444-555555555555',
      AZURE_CLIENT_ID: '99999999-8888-7777-6666-555555555555',
      AZURE_FEDERATED_TOKEN_FILE: join(folder, 'assertion'),
    };
    return { gate, entra, job };
  }

  const argsFor = (prefix: string) => publishArgs(history.out, `az://history/${prefix}`, ['--concurrency', '2']);

  const expectThere = async (prefix: string) =>
    expect(differences(await publishedAt(AZURITE, store, prefix, folder), history.files())).toEqual([]);

  function expectNothingSecret({ stdout, stderr }: Finished, { given, machine }: Entra): void {
    for (const secret of [...given, ASSERTION, ...Object.values(machine)]) expect(stdout + stderr).not.toContain(secret);
  }

  it.concurrent.each(['job', 'machine'] as const)('publishes while many tokens of a %s identity expire', async (whose) => {
    const { gate, entra, job } = await open();
    gate.delay = DELAY;
    entra.lifetime = SECONDS;
    const result = await palimpsest(argsFor(whose), { env: { ...entra.env, ...(whose === 'job' ? job : entra.machine) } });
    expect(result.code, result.stderr).toBe(0);
    console.log(`a ${whose}: ${entra.given.length} tokens of ${SECONDS} s, ${ranOut(gate)} of them refused`);
    expect(entra.given.length).toBeGreaterThan(2);
    expectNothingSecret(result, entra);
    await expectThere(whose);
  });

  it.concurrent.each([
    ['Azurite', undefined],
    ['Azure', AZURES],
  ] as const)('refreshes tokens that the store rejects before they expire, with the error response of %s', async (name, words) => {
    const { gate, entra, job } = await open();
    gate.delay = DELAY;
    gate.reword = words;
    entra.lifetime = SECONDS;
    entra.said = 3_600;
    await publishJson(argsFor(`refused-by-${name}`), { ...entra.env, ...job });
    console.log(`in the words of ${name}: ${entra.given.length} tokens, ${ranOut(gate)} of them refused after they had been taken`);
    expect(ranOut(gate)).toBeGreaterThan(0);
    // one refresh serves all requests that failed together
    expect(entra.given.length).toBe(gate.seen.size);
    await expectThere(`refused-by-${name}`);
  });

  it.concurrent.each(['job', 'machine'] as const)(
    'requests one new token of a %s and then fails, if the store accepts no token any more',
    async (whose) => {
      const { gate, entra, job } = await open();
      gate.refuse = () => (gate.writes.length > 20 ? AZURES : undefined);
      const env = { ...entra.env, ...(whose === 'job' ? job : entra.machine) };
      const result = await palimpsest([...argsFor(`revoked-${whose}`), '--json'], { env });
      expect(result.code).toBe(1);
      expect(JSON.parse(result.stdout)).toMatchObject({ error: { code: 'target-denied', found: expect.stringContaining('401') } });
      const requests = [...gate.seen.values()].reduce((sum, { refused }) => sum + refused, 0);
      console.log(`no ${whose}'s token taken any more: ${entra.given.length} tokens, ${requests} requests refused`);
      // Azure's client requests one more token by itself after a challenge
      expect(entra.given.length).toBeLessThanOrEqual(4);
      expect(requests).toBeLessThanOrEqual(20);
      expectNothingSecret(result, entra);
    },
  );

  it.concurrent('reports missing credentials and rejected credentials', async () => {
    const { entra, job } = await open();
    const run = (env: Readonly<Record<string, string>>) => palimpsest([...argsFor('none'), '--json'], { env: { ...entra.env, ...env } });
    const none = await run({});
    expect(JSON.parse(none.stdout)).toMatchObject({ error: { code: 'target-denied', found: 'no credentials' } });
    expect(none.stderr.match(/error: /g)).toHaveLength(1);
    writeFileSync(join(folder, 'other-assertion'), 'c2VjcmV0LXRoYXQtbm9ib2R5LW1heS1zZWU');
    const other = await run({ ...job, AZURE_FEDERATED_TOKEN_FILE: join(folder, 'other-assertion') });
    expect(JSON.parse(other.stdout)).toMatchObject({ error: { code: 'target-denied', found: expect.stringContaining('AADSTS700211') } });
    expect(other.stdout + other.stderr).not.toContain('c2VjcmV0');
    const wrong = await run({ IDENTITY_ENDPOINT: entra.machine['IDENTITY_ENDPOINT'] ?? '', IDENTITY_HEADER: 'wrong' });
    expect(JSON.parse(wrong.stdout)).toMatchObject({ error: { code: 'target-denied' } });
  });
});
