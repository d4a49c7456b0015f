import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_CACHE_CONTROL } from '../../src/publish/objects/headers.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestHere } from '../support/palimpsest.ts';
import { isFull } from '../support/proof.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences, type Files, pagesIn } from '../whole/trees.ts';
import { Growing, publishArgs, publishJson } from './growing.ts';
import { startProxy } from './proxy.ts';
import { azuriteConnection, fetchAll, rclone, S3_KEYS, STORES, type Store } from './stores.ts';

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
/** The number of records at first. */
const RECORDS = 300;

/** Returns the files at a target except for its state, read by an independent client. */
type Look = () => Promise<Files>;

function withoutState(path: string): Files {
  const files = new Map(pagesIn(path));
  expect(files.delete('publish.json')).toBe(true);
  return files;
}

interface Candidate {
  readonly name: string;
  readonly skip: boolean;
  /** Whether it supports conditional writes. */
  readonly isConditional: boolean;
  readonly start: () => Promise<{
    readonly store?: Store;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    /** The URL for readers. */
    readonly site?: string;
    readonly look: Look;
  }>;
}

const candidates: readonly Candidate[] = [
  {
    name: 'a folder',
    skip: false,
    isConditional: true,
    start: async () => {
      const site = join(folder, 'site');
      return { args: [site], env: {}, look: async () => withoutState(site) };
    },
  },
  ...STORES.map((kind) => ({
    name: kind.name,
    skip: kind.requirement.skip || rclone.skip,
    isConditional: kind.isConditional,
    start: async () => {
      const store = await kind.start();
      const fetched = join(folder, `fetched from ${kind.name}`);
      const look = async () => {
        await fetchAll(kind, store.endpoint, 'some/where', fetched);
        execFileSync('sha256sum', ['--quiet', '-c', 'manifest-sha256.txt'], { cwd: fetched });
        return withoutState(fetched);
      };
      const args = [kind.address('some'), '--prefix', 'where'];
      return { store, args, env: kind.env(store.endpoint), site: kind.site(store.endpoint, 'some/where'), look };
    },
  })),
];

describe.each(candidates)('publishing to $name', ({ name, skip, isConditional, start }) => {
  let place: Awaited<ReturnType<Candidate['start']>>;
  let history: Growing;
  // at a slow store without conditional writes, only what depends on the store
  const isLeftOut = skip || (!isConditional && !isFull);
  const send = (more: readonly string[] = []) => publishJson(['publish', ...place.args, '--out', history.out, ...more], place.env);
  const refused = (more: readonly string[] = []) =>
    palimpsest(['publish', ...place.args, '--out', history.out, ...more, '--json'], { env: place.env });

  beforeAll(async () => {
    if (skip) return;
    [place, history] = await Promise.all([start(), Growing.of(folder, name, { records: RECORDS, accounts: 30 })]);
  });
  afterAll(() => place?.store?.stop());

  it.skipIf(skip)('sends everything, then nothing, then only changed files', async () => {
    const plan = await send(['--plan']);
    expect(plan).toMatchObject({ plan: { uploads: history.files().size - 3, deletes: 0, overlaps: 0 } });
    const first = await send();
    expect(first).toMatchObject({ done: { uploads: history.files().size - 3 }, invalidate: ['/api/rest/*'], conditional: isConditional });
    expect(differences(await place.look(), history.files())).toEqual([]);

    const idle = await send();
    expect(idle).toMatchObject({ done: { uploads: 0, overlaps: 0, deletes: 0 }, requests: { all: 1 }, invalidate: [] });

    await history.grow(3);
    const steps = (await send(['--plan']))['steps'];
    const last = `rest/data/page/${RECORDS / 10 + 1}/index.json`;
    expect(steps).toContainEqual(expect.objectContaining({ action: 'upload', path: last, reason: 'new' }));
    expect(steps).toContainEqual(expect.objectContaining({ action: 'upload', path: 'rest/data/page/2/index.json', reason: 'changed' }));
    const account = (await send())['unchanged'];
    expect(account).toBeGreaterThan(0);
    expect(differences(await place.look(), history.files())).toEqual([]);
  });

  it.skipIf(isLeftOut)('deletes files and lets readers miss items only with the options for this', async () => {
    const before = await place.look();
    const shrunk = await Growing.of(folder, `${name} shrunk`, { records: RECORDS - 100, accounts: 30 });
    const args = ['publish', ...place.args, '--out', shrunk.out];
    const run = (more: readonly string[]) => palimpsestHere([...args, ...more, '--json'], { env: place.env });
    const many = await run([]);
    expect(many.code).toBe(3);
    expect(JSON.parse(many.stdout)).toMatchObject({ error: { code: 'too-many-deletes' } });
    const both = [{ code: 'too-many-deletes', expected: expect.stringContaining('at most') }, { code: 'reader-gaps' }];
    const plan = await run(['--plan']);
    expect({ code: plan.code, ...JSON.parse(plan.stdout) }).toMatchObject({ code: 3, plan: { deletes: 11 }, refusals: both });
    expect(JSON.parse(plan.stdout).steps).toContainEqual(expect.objectContaining({ action: 'delete' }));
    expect((await publishJson([...args, '--plan', '--max-delete', '30%', '--allow-gaps'], place.env))['refusals']).toEqual([]);
    const read = await palimpsestHere([...args, '--plan'], { env: place.env });
    expect(read.code).toBe(3);
    expect(read.stdout).toMatch(/would be refused \(too-many-deletes\): 11 of .*publish with --max-delete 11/);
    const gaps = await run(['--max-delete', '30%']);
    expect(gaps.code).toBe(3);
    expect(JSON.parse(gaps.stdout)).toMatchObject({ error: { code: 'reader-gaps' } });
    expect(differences(await place.look(), before)).toEqual([]);
    const done = await publishJson([...args, '--max-delete', '30%', '--allow-gaps'], place.env);
    expect(done).toMatchObject({ done: { deletes: 11 } });
    expect(differences(await place.look(), shrunk.files())).toEqual([]);
    await publishJson(['publish', ...place.args, '--out', history.out], place.env);
    expect(differences(await place.look(), history.files())).toEqual([]);
  });

  it.skipIf(skip || name === 'a folder')('detects a change of headers only', async () => {
    const changed = await send(['--cache-control', 'public, max-age=60', '--plan']);
    expect(changed['steps']).toContainEqual(expect.objectContaining({ path: 'rest/data/index.json', reason: 'headers' }));
    await send(['--cache-control', 'public, max-age=60', '--gzip']);
    const answer = await fetch(`${place.site}/rest/data/index.json`);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(history.files().get('rest/data/index.json'));
    await history.grow(12); // over compressed pages, which are read for overlaps
    await send(['--cache-control', 'public, max-age=60', '--gzip']);
    await send();
    expect(differences(await place.look(), history.files())).toEqual([]);
  });

  it.skipIf(isLeftOut)(
    'publishes compressed files with their encoding, and deletes them when the tree no longer has them',
    { timeout: 300_000 },
    async () => {
      await history.rebuild(['--compress', 'gzip,brotli']);
      await history.grow(12); // records move over pages whose variants are new
      await send();
      await history.grow(3);
      expect(await send()).toMatchObject({ done: { deletes: 0 } });
      expect(differences(await place.look(), history.files())).toEqual([]);
      if (place.site !== undefined) {
        const answer = await fetch(`${place.site}/rest/data/index.json.br`);
        expect(answer.headers.get('content-encoding')).toBe('br');
        expect(Buffer.from(await answer.arrayBuffer())).toEqual(history.files().get('rest/data/index.json'));
      }
      await history.rebuild(['--compress', 'none']);
      const done = await send(['--max-delete', '100%']);
      expect(done).toMatchObject({ done: { uploads: 0, deletes: history.files().size * 2 - 6 } });
      expect(differences(await place.look(), history.files())).toEqual([]);
    },
  );

  it.skipIf(skip)(
    'publishes browse files with their media types, and deletes them when the tree no longer has them',
    { timeout: 300_000 },
    async () => {
      await history.rebuild(['--html']);
      const browse = [...history.files().keys()].filter((path) => path.startsWith('browse/') || path === 'index.html');
      const { steps } = await send(['--plan']);
      const uploads = Array.isArray(steps) ? steps.map(({ action, path }) => `${action} ${path}`) : [];
      expect(uploads.toSorted()).toEqual(browse.map((path) => `upload ${path}`).toSorted());
      expect(uploads.at(-1)).toBe('upload index.html');
      expect(await send()).toMatchObject({ invalidate: ['/api/rest/*', '/api/browse/*', '/api/', '/api/index.html'] });
      expect(await send()).toMatchObject({ done: { uploads: 0 }, requests: { all: 1 } });
      expect(differences(await place.look(), history.files())).toEqual([]);
      for (const [path, type] of place.site === undefined ? [] : TYPES) {
        const answer = await fetch(`${place.site}/${path}`);
        expect([path, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
          path,
          type,
          DEFAULT_CACHE_CONTROL,
        ]);
      }
      await history.rebuild(['--no-html']);
      expect(JSON.parse((await refused()).stdout)).toMatchObject({ error: { code: 'too-many-deletes' } });
      expect(await send(['--max-delete', '100%'])).toMatchObject({ done: { uploads: 0, deletes: browse.length } });
      expect(differences(await place.look(), history.files())).toEqual([]);
    },
  );

  it.skipIf(skip || name === 'a folder')('shows no secrets in errors', async () => {
    const secret = 'c2VjcmV0LXRoYXQtbm9ib2R5LW1heS1zZWU=';
    const env = {
      ...place.env,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_SESSION_TOKEN: secret,
      AZURE_STORAGE_CONNECTION_STRING: `${azuriteConnection(place.store?.endpoint ?? '').replace(/AccountKey=[^;]*/, `AccountKey=${secret}`)}`,
    };
    await history.grow(1); // something to write: anybody may read
    const { code, stdout, stderr } = await palimpsest(['publish', ...place.args, '--out', history.out, '--json'], { env });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'target-denied' } });
    expect(stdout + stderr).not.toContain(secret);
    const broken = await palimpsest(['publish', 'az://history', '--out', history.out], {
      env: { AZURE_STORAGE_CONNECTION_STRING: `AccountKey=${secret}` },
    });
    expect(broken.code).toBe(2);
    expect(broken.stdout + broken.stderr).not.toContain(secret);
  });

  it.skipIf(skip)('refuses to begin while another run is publishing', async () => {
    await history.grow(1);
    const runs = await Promise.all([refused(), refused(), refused()]);
    const codes = runs.map(({ code }) => code);
    expect(codes.filter((code) => code === 0).length).toBeGreaterThan(0);
    for (const { code, stdout } of runs) if (code !== 0) expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'target-busy' } });
    expect(differences(await place.look(), history.files())).toEqual([]);
  });

  it.skipIf(skip || isConditional)('separates two publishers as far as possible without conditional writes, and reports this', async () => {
    await history.grow(12); // records move far: every page is an overlap page first
    const proxy = await startProxy(place.store?.endpoint ?? '');
    const args = ['publish', ...place.args, '--out', history.out, '--json'];
    const env = { ...place.env, PALIMPSEST_ENDPOINT: proxy.endpoint };
    const runs = await Promise.all([1, 2].map(() => palimpsest(args, { env })));
    await proxy.stop();
    const [won, lost] = runs.toSorted((a, b) => Number(a.code) - Number(b.code));
    expect(won).toMatchObject({ code: 0, stderr: expect.stringContaining('may not detect each other') });
    expect(lost?.code).toBe(1);
    expect(JSON.parse(lost?.stdout ?? '')).toMatchObject({ error: { code: 'target-busy' } });
    const { done, requests } = JSON.parse(won?.stdout ?? '');
    expect(done.overlaps).toBeGreaterThan(20);
    // the losing run noticed this before it sent a page
    const pages = [...proxy.puts].filter(([path]) => path.includes('/rest/')).reduce((sum, [, times]) => sum + times, 0);
    expect(pages).toBe(done.uploads + done.overlaps);
    // conditional writes are not tried again for each overlap page
    expect(requests.writes - requests.retries).toBeLessThan(done.uploads + done.overlaps + 20);
    expect(differences(await place.look(), history.files())).toEqual([]);
  });
});

describe('a publish, before its first request', () => {
  /** No server listens there, so a request would fail with an error. */
  const NOWHERE = 'http://127.0.0.1:9';
  const codeOf = async (out: string) => {
    const { code, stdout } = await palimpsestHere([...publishArgs(out, 's3://history/x', ['--endpoint', NOWHERE]), '--json'], {
      env: S3_KEYS,
    });
    return [code, JSON.parse(stdout).error.code];
  };

  it('refuses a tree that was edited', async () => {
    const { out } = await Growing.of(folder, 'edited', { records: 100 });
    const page = join(out, 'rest/data/page/7/index.json');
    const bytes = readFileSync(page);
    writeFileSync(page, bytes.toString().replace('http', 'HTTP'));
    expect(await codeOf(out)).toEqual([1, 'tree-edited']);
    writeFileSync(page, bytes);
    appendFileSync(join(out, 'manifest-sha256.txt'), '\n');
    expect(await codeOf(out)).toEqual([1, 'tree-edited']);
  });

  it('refuses an unfinished tree and a missing tree', async () => {
    const { out } = await Growing.of(folder, 'unfinished', { records: 100 });
    writeFileSync(join(out, 'build.json'), '{"palimpsest":"0.1.0","state":"unfinished"}\n');
    expect(await codeOf(out)).toEqual([1, 'tree-unfinished']);
    expect(await codeOf(temporaryFolder())).toEqual([1, 'no-tree']);
  });

  it.each(['ftp://host/x', 's3://', 's3://key:secret@bucket', 's3://bucket/../x'])('refuses %s', async (address) => {
    const { code, stderr } = await palimpsestHere(['publish', address]);
    expect(code).toBe(2);
    expect(stderr).not.toContain('secret@');
  });
});

describe('a publish in a GitHub job', () => {
  it('adds a table to the job summary', async () => {
    const { out } = await Growing.of(folder, 'job', { records: 100 });
    const summary = join(folder, 'summary.md');
    await publishJson(['publish', join(folder, 'job-site'), '--out', out], { GITHUB_STEP_SUMMARY: summary });
    expect(readFileSync(summary, 'utf8')).toMatch(/\| --- \| --- \|\n\| sent \| \d+ files \|/);
    expect(existsSync(join(folder, 'job-site/rest/data/index.json'))).toBe(true);
  });
});
