import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTarget } from '../../src/storage/open-target.ts';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';
import { differences, type Files } from '../whole/trees.ts';
import { Growing, publishArgs, publishedIn, publishJson } from './growing.ts';
import { S3_KEYS } from './stores.ts';

const folder = folderOfFile();
const RECORDS = 200;
const site = join(folder, 'site');

let history: Growing;
beforeAll(async () => {
  history = await Growing.of(folder, 'history', { records: RECORDS, accounts: 30 });
});

const send = (...more: readonly string[]) => publishJson(['publish', site, '--out', history.out, ...more]);
const expectThere = (wanted: Files = history.files()) => expect(differences(publishedIn(site), wanted)).toEqual([]);
async function run(...args: readonly string[]) {
  const { code, stdout } = await palimpsestHere(['publish', ...args, '--json']);
  return { code, ...JSON.parse(stdout) };
}

describe('publishing to a folder', () => {
  it('sends everything, then nothing, then only changed files', async () => {
    const uploads = history.files().size - 3;
    expect(await send('--dry-run')).toMatchObject({ plan: { uploads, deletes: 0, overlaps: 0 } });
    expect(await send()).toMatchObject({ done: { uploads }, invalidate: ['/api/rest/*'], conditional: true });
    expectThere();
    expect(await send()).toMatchObject({ done: { uploads: 0, overlaps: 0, deletes: 0 }, requests: { all: 1 }, invalidate: [] });
    await history.grow(3);
    const { actions: steps } = await send('--dry-run');
    const last = `rest/data/page/${RECORDS / 10 + 1}/index.json`;
    expect(steps).toContainEqual(expect.objectContaining({ action: 'upload', path: last, reason: 'new' }));
    expect(steps).toContainEqual(expect.objectContaining({ action: 'upload', path: 'rest/data/page/2/index.json', reason: 'changed' }));
    expect((await send())['unchanged']).toBeGreaterThan(0);
    expectThere();
  });

  it('publishes browse files, the home page last, and deletes them when the tree no longer has them', async () => {
    await history.rebuild(['--html']);
    const browse = [...history.files().keys()].filter((path) => path.startsWith('browse/') || path === 'index.html');
    const { actions: steps } = await send('--dry-run');
    const uploads = Array.isArray(steps) ? steps.map(({ action, path }) => `${action} ${path}`) : [];
    expect(uploads.toSorted()).toEqual(browse.map((path) => `upload ${path}`).toSorted());
    expect(uploads.at(-1)).toBe('upload index.html');
    expect(await send()).toMatchObject({ invalidate: ['/api/rest/*', '/api/browse/*', '/api/', '/api/index.html'] });
    expect(await send()).toMatchObject({ done: { uploads: 0 }, requests: { all: 1 } });
    expectThere();
    await history.rebuild(['--no-html']);
    expect(await run(site, '--out', history.out)).toMatchObject({ error: { code: 'too-many-deletes' } });
    expect(await send('--max-delete', '100%')).toMatchObject({ done: { uploads: 0, deletes: browse.length } });
    expectThere();
  });
});

it('a folder has one publisher at a time', async () => {
  await history.grow(1);
  const target = await openTarget(site, '', { connections: 1, secrets: {} });
  const held = target.lock?.();
  expect(await run(site, '--out', history.out)).toMatchObject({ code: 1, error: { code: 'target-busy' } });
  held?.release();
  await send();
});

describe('a publish, before its first request', () => {
  /** No server listens there, so a request would fail with an error. */
  const NOWHERE = 'http://127.0.0.1:9';
  const codeOf = async (out: string) => {
    const args = publishArgs(out, 's3://history/x', ['--endpoint', NOWHERE, '--json']);
    const { code, stdout } = await palimpsestHere(args, { env: S3_KEYS });
    return [code, JSON.parse(stdout).error.code];
  };

  it('refuses a tree that was edited, is unfinished or is missing', async () => {
    const { out } = await Growing.of(folder, 'edited', { records: 100, accounts: 30 });
    const page = join(out, 'rest/data/page/7/index.json');
    const bytes = readFileSync(page);
    writeFileSync(page, bytes.toString().replace('http', 'HTTP'));
    expect(await codeOf(out)).toEqual([1, 'tree-edited']);
    writeFileSync(page, bytes);
    appendFileSync(join(out, 'manifest-sha256.txt'), '\n');
    expect(await codeOf(out)).toEqual([1, 'tree-edited']);
    writeFileSync(join(out, 'build.json'), '{"palimpsest":"0.1.0","state":"unfinished"}\n');
    expect(await codeOf(out)).toEqual([1, 'tree-unfinished']);
    expect(await codeOf(temporaryFolder())).toEqual([1, 'no-tree']);
  });
});
