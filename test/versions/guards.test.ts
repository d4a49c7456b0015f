import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { readerOf } from '../zip/zips.ts';
import { BASE, listed, SIZES, Site } from './site.ts';

let site: Site;
let target: string;

beforeEach(() => {
  site = new Site(temporaryFolder(), []);
  target = join(site.folder, 'target');
});

type Seen = readonly [day: number, screen_name: string, id: string, bio: string];

/** Observes snapshots, builds and publishes. */
async function night(...seen: readonly Seen[]): Promise<void> {
  await observed(...seen);
  await site.publish(target);
}

/** Observes snapshots, and builds. */
async function observed(...seen: readonly Seen[]): Promise<void> {
  const file = join(site.folder, 'snapshots.ndjson');
  const lines = seen.map(([day, screen_name, id, bio]) => ({ observed_at: `2024-01-0${day}T00:00:00Z`, screen_name, id, bio }));
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await palimpsestJson(['observe', file, '--store', site.store]);
  await site.build();
}

/** Returns the numbers of the versions that have a text. */
async function having(text: string): Promise<readonly number[]> {
  return (await listed(target)).results.flatMap(({ number, file }) => {
    const zip = readerOf(join(target, file));
    const isThere = [...zip.paths()].some((path) => zip.read(path)?.includes(text));
    zip.close();
    return isThere ? [number] : [];
  });
}

describe('a removal at a target with versions', () => {
  it.each([
    [[], [3]],
    [['--rewrite-versions'], [3, 2, 1]],
  ])('finds the account under a handle that another account has now, with %j', async (args, numbers) => {
    await night([1, 'old', '1', 'a secret'], [1, 'zoe', '9', 'zz']);
    await night([2, 'newname', '1', 'a secret'], [3, 'old', '2', 'the bio of another']);
    expect(await having('a secret')).toEqual([2, 1]);
    const { stdout } = await palimpsestHere(['remove', 'id:1', '--store', site.store, '--yes']);
    expect(stdout).toContain('versions that have the account are deleted');
    await site.build();
    const { stdout: published } = await palimpsestHere(site.args(target, args));
    expect(published).toMatch(/2 versions with removed accounts (deleted|rebuilt): 1, 2/);
    expect(published.includes('no former handles')).toBe(args.length > 0);
    expect(await having('a secret')).toEqual([]);
    expect((await listed(target)).results.map(({ number }) => number)).toEqual(numbers);
    expect(await having('the bio of another')).toEqual(numbers.filter((number) => number > 1));
  });
});

it('a version from the future is refused a next one, until a rollback withdraws it', async () => {
  const clock = vi.spyOn(Date, 'now');
  onTestFinished(() => clock.mockRestore());
  await night([1, 'ann', '1', 'bio 1']);
  const backup = join(site.folder, 'backup');
  const push = (...more: string[]) => palimpsestHere(['store', 'push', backup, '--store', site.store, '--json', ...more]);
  const now = Date.parse('2030-01-01T00:00:00.000Z');
  clock.mockReturnValue(now + 366 * 86_400_000);
  await night([2, 'ann', '1', 'bio 2']);
  await push();
  clock.mockReturnValue(now);
  await observed([3, 'ann', '1', 'bio 3']);
  expect(await site.refused(target)).toMatchObject({ exit: 3, code: 'future-time', hint: expect.stringContaining(' --rollback') });
  await palimpsestJson(['publish', target, '--rollback', '--store', site.store]);
  expect(await site.publish(target)).toMatchObject({ number: 4 });
  const times = (await listed(target)).results.map(({ time }) => time);
  expect(times).toEqual([new Date(now).toISOString(), expect.stringMatching(/^20/)]);
  // the first version of all can be from the future, too
  const first = join(site.folder, 'first');
  clock.mockReturnValue(now + 366 * 86_400_000);
  await site.publish(first);
  clock.mockReturnValue(now);
  await observed([4, 'ann', '1', 'bio 4']);
  expect(await site.refused(first)).toMatchObject({ code: 'future-time', hint: expect.stringContaining('publish with --replace') });
  expect(await site.publish(first, ['--replace'])).toMatchObject({ number: 2 });
  expect(await push()).toMatchObject({ code: 3, stdout: expect.stringContaining('push with --replace') });
  const { stdout } = await push('--replace');
  expect(JSON.parse(stdout)).toMatchObject({ version: { time: new Date(now).toISOString() }, kept: 2 });
});

it('publish of a ZIP refuses --max-delete, which limits the files of a folder', async () => {
  await night([1, 'ann', '1', 'bio']);
  expect(await site.refused(target, ['--max-delete', '0'])).toMatchObject({ exit: 2, code: 'usage' });
  expect(await site.publish(target, [], { PALIMPSEST_MAX_DELETE: '0' })).toMatchObject({ change: null });
});

it('a rollback ignores variables that keep versions, which are for the nightly publish, and refuses the options', async () => {
  await night([1, 'ann', '1', 'bio 1']);
  await night([2, 'ann', '1', 'bio 2']);
  const args = ['publish', target, '--rollback', '--store', site.store];
  const { code, stderr } = await palimpsestHere([...args, '--keep', '90d']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--keep cannot be used with --rollback')]);
  const variables = { PALIMPSEST_PUBLISH_KEEP: '90d', PALIMPSEST_PUBLISH_KEEP_DAILY: '7', PALIMPSEST_PUBLISH_KEEP_MONTHLY: '12' };
  expect(await palimpsestJson(args, { env: variables })).toMatchObject({ change: 'rollback', number: 1 });
});

it.each([
  ['missing', (head: string) => rmSync(head)],
  ['damaged', (head: string) => truncateSync(head, 100)],
])('serve and rewrite say that the head of a folder with versions is %s, and what to do', async (_, damage) => {
  await night([1, 'ann', '1', 'bio']);
  damage(join(target, 'head.json'));
  for (const command of [
    ['serve', '--port', '0'],
    ['rewrite', 'node'],
  ]) {
    const { code, stderr } = await palimpsestHere([...command, '--out', target]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`head.json of the versions in ${target} is missing or damaged`)]);
    expect(stderr).toContain('publish again');
  }
});

it('publishes to a folder whose marker was lost, and writes it again, but not beside the head of another program', async () => {
  await night([1, 'ann', '1', 'bio']);
  const marker = join(target, 'palimpsest.json');
  rmSync(marker);
  await night([2, 'ann', '1', 'bio 2']);
  expect((await listed(target)).results).toHaveLength(2);
  expect(existsSync(marker)).toBe(true);
  const other = temporaryFolder();
  for (const name of ['head.json', 'notes.txt']) writeFileSync(join(other, name), '{}');
  expect(await site.refused(other)).toMatchObject({ exit: 3, code: 'not-ours' });
});

it('refuses a new folder inside a target with versions, for versions and for pages', async () => {
  await night([1, 'nina', '1', 'a']);
  const inner = join(target, 'inner', 'site');
  expect(await site.refused(inner)).toMatchObject({ exit: 3, code: 'not-ours', found: join(target, 'palimpsest.json') });
  const tree = join(site.folder, 'tree');
  await palimpsestJson(['build', '--store', site.store, '--out', tree, '--base-url', BASE]);
  const pages = ['publish', inner, '--out', tree, '--store', site.store];
  expect(await palimpsestHere(pages)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('has versions of another site or of a store'),
  });
  expect(existsSync(join(target, 'inner'))).toBe(false);
  await palimpsestJson([...pages, '--allow-other-files']);
  // what is published there already stays usable
  await palimpsestJson(pages);
});

describe('publish of a ZIP that is damaged', () => {
  it('is refused before any write', async () => {
    await night([1, 'ann', '1', 'bio 1']);
    const before = readFileSync(join(target, 'head.json'));
    await night([2, 'ann', '1', 'bio 2']);
    await palimpsestJson(['publish', target, '--rollback', '--store', site.store]);
    const rolledBack = readFileSync(join(target, 'head.json'));
    expect(rolledBack).not.toEqual(before);
    const zip = readFileSync(site.zip);
    const reader = readerOf(site.zip);
    const { offset = 0, packed = 0 } = reader.find('rest/account/page/1/index.json') ?? reader.find('rest/account/index.json') ?? {};
    reader.close();
    const last = offset + packed;
    zip.writeUInt8(zip.readUInt8(last) ^ 1, last);
    writeFileSync(site.zip, zip);
    expect(await site.refused(target)).toMatchObject({ exit: 1, code: 'tree-edited', hint: expect.stringContaining('--repair') });
    expect(readFileSync(join(target, 'head.json'))).toEqual(rolledBack);
    await palimpsestJson(['build', '--store', site.store, '--out', site.zip, '--base-url', BASE, ...SIZES, '--repair']);
    expect(await site.publish(target)).toMatchObject({ change: 'publish' });
  });
});

describe('publish from an older store', () => {
  it('is refused, unless the site went back first, or with --replace', async () => {
    await night([1, 'ann', '1', 'bio 1']);
    const older = join(site.folder, 'older.db');
    const olderZip = join(site.folder, 'older.zip');
    copyFileSync(site.store, older);
    await night([2, 'ann', '1', 'bio 2']);
    const args = ['--store', older, '--out', olderZip];
    writeFileSync(join(site.folder, 'snapshots.ndjson'), '{"observed_at":"2024-01-03T00:00:00Z","screen_name":"ann","id":"1","bio":"3"}\n');
    await palimpsestJson(['observe', join(site.folder, 'snapshots.ndjson'), '--store', older]);
    await palimpsestJson(['build', ...args, '--base-url', BASE]);
    expect(await site.refused(target, args)).toMatchObject({
      ...{ exit: 3, code: 'store-diverged', hint: expect.stringContaining('--replace') },
      found: 'an older store, another one, or one that another program changed',
    });
    expect((await listed(target)).results).toHaveLength(2);
    expect(await site.publish(target, [...args, '--replace'])).toMatchObject({ number: 3, versions: 3 });
    expect(await site.refused(target)).toMatchObject({ code: 'store-diverged' });
    await palimpsestJson(['publish', target, '--rollback', '--store', older]);
    expect(await site.publish(target)).toMatchObject({ number: 2, change: null });
    await palimpsestJson(['publish', target, '--rollback', '1', '--store', older]);
    expect(await site.publish(target, args)).toMatchObject({ number: 6, versions: 2 });
  });
});

it('deletes a version that another store published, if it has an account that was removed earlier', async () => {
  await night([1, 'ann', '1', 'a secret'], [1, 'bob', '2', 'bio']);
  const [older, olderZip] = [join(site.folder, 'older.db'), join(site.folder, 'older.zip')];
  copyFileSync(site.store, older);
  copyFileSync(site.zip, olderZip);
  await palimpsestJson(['remove', 'ann', '--store', site.store, '--yes']);
  await site.build();
  expect(await site.publish(target)).toMatchObject({ removed_numbers: [1] });
  expect(await site.publish(target)).toMatchObject({ change: null, requests: { all: 2 } });
  await site.publish(target, ['--store', older, '--out', olderZip, '--replace']);
  expect(await having('a secret')).toEqual([3]);
  expect(await site.publish(target)).toMatchObject({ removed_numbers: [3], versions: 2 });
  expect(await having('a secret')).toEqual([]);
  expect(await site.publish(target)).toMatchObject({ change: null, requests: { all: 2 } });
});
