import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_CACHE_CONTROL } from '../../src/contract/site.ts';
import { openTarget } from '../../src/storage/open-target.ts';
import { palimpsest, palimpsestHere } from '../support/palimpsest.ts';
import { isFull, times } from '../support/proof.ts';
import { chance } from '../whole/chance.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences } from '../whole/trees.ts';
import { Growing, publishedAt, publishJson } from './growing.ts';
import { FAULTS, startProxy } from './proxy.ts';
import { azuriteConnection, rclone, STORES, type Store, SWIFT } from './stores.ts';

const FAULTY = times('publishes through a faulty network', 2, 20);
/** The share of the requests that fail. */
const RATE = 0.3;
const folder = folderOfFile();
/** A browse file of each media type. */
const TYPES = [
  ['index.html', 'text/html; charset=utf-8'],
  ['browse/changes/1.html', 'text/html; charset=utf-8'],
  ['browse/changes.atom', 'application/atom+xml; charset=utf-8'],
  ['browse/assets/style.css', 'text/css'],
  ['browse/assets/browse.js', 'text/javascript'],
  ['browse/assets/icon.svg', 'image/svg+xml'],
] as const;

describe.each(STORES)('publishing to $name', (kind) => {
  const { isConditional } = kind;
  const skip = kind.requirement.skip || rclone.skip;
  // at a slow store without conditional writes, only what depends on the store
  const isLeftOut = skip || (!isConditional && !isFull);
  // verify reads what the other tests read too
  const isNotVerified = isLeftOut || (kind !== STORES[0] && !isFull);
  let store: Store;
  let history: Growing;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    if (skip) return;
    [store, history] = await Promise.all([kind.start(), Growing.of(folder, kind.name, { records: 150, accounts: 15 })]);
    env = kind.env(store.endpoint);
  });
  afterAll(() => store?.stop());

  const args = (...more: readonly string[]) => ['publish', kind.address('some'), '--prefix', 'where', '--out', history.out, ...more];
  const send = (...more: readonly string[]) => publishJson(args(...more), env);
  const expectThere = async () => expect(differences(await publishedAt(kind, store, 'some/where', folder), history.files())).toEqual([]);
  const read = (path: string) => fetch(`${kind.site(store.endpoint, 'some/where')}/${path}`);

  it.skipIf(skip)('sends everything, then nothing, then only changed files', async () => {
    expect(await send()).toMatchObject({ done: { uploads: history.files().size - 3 }, conditional: isConditional });
    expect(await send()).toMatchObject({ done: { uploads: 0, overlaps: 0, deletes: 0 }, requests: { all: 1 } });
    await history.grow(3);
    expect(await send()).toMatchObject({ done: { deletes: 0 } });
    await expectThere();
  });

  it.skipIf(skip)('detects a change of headers only, and reads the compressed pages', async () => {
    const { actions: steps } = await send('--cache-control', 'public, max-age=60', '--dry-run');
    expect(steps).toContainEqual(expect.objectContaining({ path: 'rest/data/index.json', reason: 'headers' }));
    await send('--cache-control', 'public, max-age=60', '--gzip');
    const answer = await read('rest/data/index.json');
    const headers = ['cache-control', 'content-encoding', 'content-type'].map((name) => answer.headers.get(name));
    expect(headers).toEqual(['public, max-age=60', 'gzip', 'application/json']);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(history.files().get('rest/data/index.json'));
    await history.grow(12); // over compressed pages, which are read for overlaps
    await send('--cache-control', 'public, max-age=60', '--gzip');
    await send();
    await expectThere();
  });

  it.skipIf(isLeftOut)('gives compressed files and browse files their headers, and deletes them with the tree’s', async () => {
    await history.rebuild(['--html', '--compress', 'gzip,brotli']);
    await send();
    await expectThere();
    const page = await read('rest/data/index.json.br');
    expect(page.headers.get('content-encoding')).toBe('br');
    expect(Buffer.from(await page.arrayBuffer())).toEqual(history.files().get('rest/data/index.json'));
    for (const [path, type] of TYPES) {
      const { headers } = await read(path);
      expect([path, headers.get('content-type'), headers.get('cache-control')]).toEqual([path, type, DEFAULT_CACHE_CONTROL]);
    }
    await history.rebuild(['--no-html', '--compress', 'none']);
    expect(await send('--max-delete', '100%')).toMatchObject({ done: { uploads: 0 } });
    await expectThere();
  });

  it.skipIf(isNotVerified)('is verified by the rules of a folder, also if an object is missing, damaged or unexpected', async () => {
    const address = [kind.address('some'), '--prefix', 'where'];
    const verified = async (where: readonly string[]) => JSON.parse((await palimpsestHere(['verify', ...where, '--json'], { env })).stdout);
    const keyed = (violations: readonly { rule: string; path: string; expected: string }[]) =>
      violations.map(({ rule, path, expected }) => `${rule} ${path} ${expected}`).toSorted();
    await history.rebuild(['--html', '--compress', 'gzip']);
    await send('--gzip');
    // each file, the state and build.json twice, a page of each listing, and head.json
    const all = history.files().size + 6;
    expect(await verified(address)).toMatchObject({ violation_count: 0, records: history.records, requests: { all } });

    Object.assign(process.env, kind.keys);
    const target = await openTarget(kind.address('some'), 'where', { connections: 4, secrets: {}, ...kind.access(store.endpoint) });
    const { signal } = new AbortController();
    const copy = join(folder, `damaged copy for ${kind.name}`);
    cpSync(history.out, copy, { recursive: true });
    const headers = { contentType: 'text/plain', cacheControl: '', contentEncoding: '' };
    for (const path of ['rest/account/index.json', 'browse/other.html', 'other/notes.txt']) {
      await target.put(path, { bytes: Buffer.from('{}'), headers, digest: '' }, signal);
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), '{}');
    }
    for (const path of ['rest/data/page/2/index.json', 'browse/changes/1.html']) {
      await target.remove(path, signal);
      rmSync(join(copy, path));
    }
    const found = await verified(address);
    for (const path of ['browse/other.html', 'other/notes.txt']) await target.remove(path, signal);
    target.close();
    expect(found.violation_count).toBeGreaterThan(4);
    expect(keyed(found.violations)).toEqual(keyed((await verified(['--out', copy])).violations));
    expect(JSON.stringify(found)).not.toContain(tmpdir());
    expect(await verified([kind.address('nothing-here')])).toMatchObject({ error: { code: 'no-tree' } });
    await history.rebuild(['--no-html', '--compress', 'none']);
    await send('--repair', '--max-delete', '100%');
  });

  // Swift takes ten times as long
  it.skipIf(skip || kind === SWIFT)(`loses nothing if ${RATE * 100} % of the requests fail`, async () => {
    const random = chance(11);
    const proxy = await startProxy(store.endpoint);
    let faults = 0;
    proxy.draw = () => {
      if (random() >= RATE) return undefined;
      faults += 1;
      return FAULTS[faults % FAULTS.length];
    };
    for (let night = 0; night < FAULTY; night += 1) {
      await history.grow(7);
      expect(await publishJson(args('--timeout', '2s'), kind.env(proxy.endpoint))).toMatchObject({
        requests: { retries: expect.any(Number) },
      });
      await expectThere();
    }
    await proxy.stop();
    for (const fault of FAULTS) expect(proxy.faults.get(fault), fault).toBeGreaterThan(0);
  });

  it.skipIf(skip)('shows no secrets in errors', async () => {
    const secret = 'c2VjcmV0LXRoYXQtbm9ib2R5LW1heS1zZWU=';
    const connection = azuriteConnection(store.endpoint).replace(/AccountKey=[^;]*/, `AccountKey=${secret}`);
    await history.grow(1); // something to write: anybody may read
    const { code, stdout, stderr } = await palimpsest(args('--json'), {
      env: {
        ...env,
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: secret,
        AWS_SESSION_TOKEN: secret,
        AZURE_STORAGE_CONNECTION_STRING: connection,
      },
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'target-denied' } });
    expect(stdout + stderr).not.toContain(secret);
    const broken = await palimpsestHere(['publish', 'az://history', '--out', history.out], {
      env: { AZURE_STORAGE_CONNECTION_STRING: `AccountKey=${secret}` },
    });
    expect(broken.code).toBe(2);
    expect(broken.stdout + broken.stderr).not.toContain(secret);
  });

  it.skipIf(skip)('lets one of two runs publish, and the other one sends no page', async () => {
    await history.grow(12);
    const proxy = await startProxy(store.endpoint);
    const both = [1, 2].map(() => palimpsest(args('--json'), { env: kind.env(proxy.endpoint) }));
    const [won, lost] = (await Promise.all(both)).toSorted((a, b) => Number(a.code) - Number(b.code));
    await proxy.stop();
    expect(won?.code).toBe(0);
    const { done } = JSON.parse(won?.stdout ?? '');
    // a run that starts late finds nothing to do
    if (lost?.code !== 0) expect(JSON.parse(lost?.stdout ?? '')).toMatchObject({ error: { code: 'target-busy' } });
    if (!isConditional) expect((won?.stderr ?? '') + lost?.stderr).toContain('may not detect each other');
    const pages = [...proxy.puts].filter(([path]) => path.includes('/rest/')).reduce((sum, [, times]) => sum + times, 0);
    const other = lost?.code === 0 ? JSON.parse(lost.stdout).done : { uploads: 0, overlaps: 0 };
    expect(pages).toBe(done.uploads + done.overlaps + other.uploads + other.overlaps);
    await expectThere();
  });
});
