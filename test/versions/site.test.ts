import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { recordLines } from '../whole/stores.ts';
import { readerOf } from '../zip/zips.ts';
import { BASE, listed, Site, unneeded } from './site.ts';

let lines: readonly string[];
let site: Site;
let target: string;

beforeAll(async () => {
  lines = await recordLines(60, 10);
});
beforeEach(() => {
  site = new Site(temporaryFolder(), lines);
  target = join(site.folder, 'target');
});

/** Publishes versions with five more records each. */
async function publishNights(nights = 3): Promise<void> {
  for (let night = 0; night < nights; night += 1) {
    await site.grow(5);
    await site.publish(target);
  }
}

const head = () => JSON.parse(readFileSync(join(target, 'head.json'), 'utf8'));
const nameOf = (line: string): string => JSON.parse(line).account;
/** Returns an account whose first record is in some lines. */
function firstIn(from: number, to: number): string {
  const before = lines.slice(0, from).map(nameOf);
  return (
    lines
      .slice(from, to)
      .map(nameOf)
      .find((name) => !before.includes(name)) ?? 'none'
  );
}

describe('publish of a ZIP', () => {
  it('writes the ZIP, a commit and the head, and nothing if nothing is new', async () => {
    const manifest = await site.grow(20);
    expect(await site.publish(target, ['--dry-run'])).toMatchObject({ is_new: true, change: 'publish', plan: { uploads: 1 } });
    expect(existsSync(target)).toBe(false);
    expect(await site.publish(target)).toMatchObject({ number: 1, change: 'publish', versions: 1, conditional: true });
    const { versions, base_url, kind, number, change, previous } = head();
    expect({ base_url, kind, number, change, previous }).toEqual({
      base_url: 'https://history.example',
      kind: 'site',
      number: 1,
      change: 'publish',
      previous: null,
    });
    expect(versions).toMatchObject([{ number: 1, records: 20, manifest, index: { buckets: expect.any(Number) } }]);
    expect(readFileSync(join(target, versions[0].file))).toEqual(readFileSync(site.zip));
    expect(readFileSync(join(target, 'versions/00000001.json'))).toEqual(readFileSync(join(target, 'head.json')));
    expect(await site.publish(target)).toMatchObject({ is_new: false, number: 1, change: null, requests: { all: 2 } });
    const mistyped = await palimpsestHere(site.args(`${target}-2`, ['--quiet']));
    expect(mistyped.stderr).toBe(
      `warning: ${target}-2 is a new target: no earlier run wrote to it. This store was published to ${target} before. If this is not the first run there, check the name of the target\n`,
    );

    await site.grow(5);
    expect(await site.publish(target)).toMatchObject({ number: 2, change: 'publish', versions: 2, requests: { all: expect.any(Number) } });
    expect(unneeded(target)).toEqual([]);
    expect(await listed(target)).toMatchObject({
      results: [
        { number: 2, current: true, records: 25 },
        { number: 1, current: false },
      ],
      withdrawn: [],
      problems: [],
    });
  });

  it('goes back to an earlier version, whose successors keep their numbers and do not come back', async () => {
    await publishNights();
    const { stdout } = await palimpsestHere(['publish', target, '--rollback', '--store', site.store]);
    expect(stdout).toContain('version 2 is current');
    expect(await listed(target)).toMatchObject({ results: [{ number: 2, current: true }, { number: 1 }], withdrawn: [{ number: 3 }] });
    expect(await palimpsestJson(['publish', target, '--rollback', '1', '--store', site.store])).toMatchObject({
      number: 1,
      change: 'rollback',
      withdrawn_numbers: [2],
    });
    for (const wanted of [['--rollback'], ['--rollback', '3'], ['--rollback', '2']]) {
      const { code, stderr } = await palimpsestHere(['publish', target, ...wanted, '--store', site.store]);
      expect([code, stderr]).toEqual([1, expect.stringContaining('no-version')]);
    }
    expect(await site.publish(target)).toMatchObject({ number: 6, versions: 2 });
    expect(unneeded(target)).toEqual([]);
    expect(await listed(target)).toMatchObject({
      results: [{ number: 6 }, { number: 1 }],
      withdrawn: [{ number: 2 }, { number: 3 }].toReversed(),
    });
  });

  it('publishes again if the file of the current version is missing, and does not go back to one whose file is missing or cut', async () => {
    await publishNights();
    const { versions } = head();
    const earlier = join(target, versions[1].file);
    for (const damage of [() => truncateSync(earlier, 500), () => rmSync(earlier)]) {
      damage();
      const { code, stderr } = await palimpsestHere(['publish', target, '--rollback', '--store', site.store]);
      expect([code, stderr]).toEqual([1, expect.stringContaining('version 2, whose file is missing or has another length')]);
    }
    expect(head().number).toBe(3);
    rmSync(join(target, versions[2].file));
    const again = await palimpsestHere([...site.args(target), '--json']);
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([1, { number: 4, damaged_numbers: [2, 3] }]);
    expect(await site.publish(target)).toMatchObject({ number: 4, change: null });
  });

  it('exits with 1 and names all lost versions if the folder versions/ is lost, because the head lists them', async () => {
    await publishNights();
    rmSync(join(target, 'versions'), { recursive: true });
    const planned = await palimpsestHere([...site.args(target), '--dry-run', '--json']);
    expect([planned.code, JSON.parse(planned.stdout)]).toMatchObject([1, { damaged_numbers: [1, 2, 3] }]);
    const again = await palimpsestHere([...site.args(target), '--json']);
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([1, { is_new: false, number: 4, damaged_numbers: [1, 2, 3] }]);
    expect(again.stderr).toContain('which are withdrawn: 1, 2, 3');
    expect(again.stderr).not.toContain('is a new target');
    expect(await listed(target)).toMatchObject({ results: [{ number: 4 }], withdrawn: [{ number: 3 }, { number: 2 }, { number: 1 }] });
    expect(await palimpsestJson(['verify', target, '--all'])).toMatchObject({ violation_count: 0, note_count: 2 });
  });

  it('restores all versions from the commit that the store knows if all commits are lost, and verify notes the earlier ones', async () => {
    await publishNights();
    rmSync(join(target, 'head.json'));
    for (const number of [1, 2, 3]) rmSync(join(target, `versions/0000000${number}.json`));
    expect(await site.publish(target)).toMatchObject({ number: 3, change: null, versions: 3 });
    await site.grow(5);
    expect(await site.publish(target)).toMatchObject({ number: 4, versions: 4 });
    const notes = [1, 2].map((number) => ({ rule: 'commit-lost', path: `versions/0000000${number}.json` }));
    expect(await palimpsestJson(['verify', target, '--all'])).toMatchObject({ violation_count: 0, notes });
  });

  it('is refused if the head and all commits are lost and the store does not know them, because it would delete the versions', async () => {
    await publishNights();
    for (const path of ['head.json', ...[1, 2, 3].map((number) => `versions/0000000${number}.json`)]) rmSync(join(target, path));
    const left = [...filesIn(target).keys()];
    const other = new Site(temporaryFolder(), lines);
    await other.grow(5);
    expect(await other.refused(target)).toMatchObject({
      exit: 3,
      code: 'not-ours',
      file: expect.stringMatching(/^versions\/0000000[23]-/),
    });
    expect([...filesIn(target).keys()]).toEqual(left);
  });

  it('has the base URL of the version that a rollback makes current, because its pages have links with it', async () => {
    for (const base of [BASE, 'https://moved.example']) {
      await site.grow(8, base);
      await site.publish(target, ['--allow-other-base-url']);
    }
    expect(head().base_url).toBe('https://moved.example');
    await palimpsestJson(['publish', target, '--rollback', '--store', site.store]);
    expect(head()).toMatchObject({ base_url: BASE, versions: [{ number: 1 }] });
    expect(await palimpsestJson(['verify', target])).toMatchObject({ violation_count: 0 });
  });

  it('deletes the versions that have a removed account before it ends, and no other', async () => {
    await site.grow(3);
    await site.publish(target);
    await site.grow(20);
    await site.publish(target);
    const late = firstIn(3, 23);
    await palimpsestJson(['remove', late, '--store', site.store, '--yes']);
    expect(await site.refused(target)).toMatchObject({ exit: 3, code: 'store-diverged', hint: expect.stringContaining('build') });
    await site.build();
    expect(await site.publish(target, ['--dry-run'])).toMatchObject({ removed_numbers: [2] });
    expect(await site.publish(target)).toMatchObject({ number: 3, change: 'remove', removed_numbers: [2], versions: 2 });
    expect(unneeded(target)).toEqual([]);
    expect(existsSync(join(site.folder, '.history.zip.versions'))).toBe(false);
    // done: the next run searches no version
    expect(await site.publish(target)).toMatchObject({ change: null, requests: { all: 2 }, removed_numbers: [] });
    expect(await listed(target)).toMatchObject({ results: [{ number: 3 }, { number: 1 }], withdrawn: [{ number: 2 }] });
  });

  it('does not go back if all versions that would stay have a removed account', async () => {
    for (const records of [3, 20]) {
      await site.grow(records);
      await site.publish(target);
    }
    await palimpsestJson(['remove', firstIn(0, 3), '--store', site.store, '--yes']);
    const { code, stderr } = await palimpsestHere(['publish', target, '--rollback', '--store', site.store]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`no version at ${target} can stay`)]);
    expect(await listed(target)).toMatchObject({ results: [{ number: 2 }, { number: 1 }] });
  });

  it('rebuilds earlier versions without a removed account with --rewrite-versions, under their numbers', async () => {
    for (const records of [8, 10, 5]) {
      await site.grow(records);
      await palimpsestJson(['build', '--html', '--account-feeds', '--store', site.store, '--out', site.zip]);
      await site.publish(target);
    }
    const name = firstIn(8, 18);
    await palimpsestJson(['remove', name, '--store', site.store, '--yes']);
    await site.build();
    const before = (await listed(target)).results;
    expect(await site.publish(target, ['--rewrite-versions'])).toMatchObject({
      number: 4,
      change: 'rewrite',
      removed_numbers: [2, 3],
      versions: 4,
    });
    const { results: versions } = await listed(target);
    expect(versions.map(({ number }) => number)).toEqual([4, 3, 2, 1]);
    expect(versions.map(({ file }) => file.slice(9, 17))).toEqual(['00000004', '00000004', '00000004', '00000001']);
    expect(versions.at(-1)).toEqual(before.at(-1));
    expect(unneeded(target)).toEqual([]);
    for (const { file } of versions) {
      const zip = readerOf(join(target, file));
      const texts = [...zip.paths()].map((path) => zip.read(path)?.toString() ?? '');
      expect(texts.filter((text) => text.includes(`"${name}"`))).toEqual([]);
      expect(texts.length).toBeGreaterThan(8);
      // with the same options
      expect([...zip.paths()].filter((path) => /^browse\/account\/.*\.atom$/.test(path)).length).toBeGreaterThan(1);
      zip.close();
    }
    const again = await site.publish(target, ['--rewrite-versions']);
    expect(again).toMatchObject({ change: null, requests: { all: 2 } });
  });

  it('keeps an account that had the handle of the removed account in an earlier version', async () => {
    const snapshots = join(site.folder, 'snapshots.ndjson');
    const observe = async (at: string, accounts: Readonly<Record<string, string>>) => {
      const rows = Object.entries(accounts).map(([id, screen_name]) => ({ observed_at: at, id, screen_name, bio: `the bio of ${id}` }));
      writeFileSync(snapshots, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      await palimpsestJson(['observe', snapshots, '--store', site.store]);
      await site.build();
      await site.publish(target);
    };
    await observe('2026-01-01T00:00:00Z', { 1: 'alice', 3: 'carol' });
    await observe('2026-01-02T00:00:00Z', { 1: 'alice_moved', 2: 'alice', 3: 'carol' });
    await palimpsestJson(['remove', '@alice', '--store', site.store, '--yes']);
    await site.build();
    expect(await site.publish(target)).toMatchObject({ number: 3, removed_numbers: [2] });
    // another account of the first version is removed: it is built again with the account that had the handle
    await palimpsestJson(['remove', '@carol', '--store', site.store, '--yes']);
    await site.build();
    expect(await site.publish(target, ['--rewrite-versions'])).toMatchObject({ number: 4, removed_numbers: [1, 3], versions: 3 });
    const { results: versions } = await listed(target);
    const zip = readerOf(join(target, versions.find(({ number }) => number === 1)?.file ?? ''));
    const { results } = JSON.parse(zip.read('rest/account/page/1/index.json')?.toString() ?? '');
    zip.close();
    expect(results).toMatchObject([{ screen_name: 'alice', bio: 'the bio of 1' }]);
  });

  it('replaces damaged versions with --repair', async () => {
    await publishNights();
    expect(await site.publish(target, ['--repair'])).toMatchObject({ change: null, damaged_numbers: [] });
    const files = (await listed(target)).results.map(({ file }) => join(target, file));
    writeFileSync(files[0] ?? '', 'damaged');
    rmSync(files[2] ?? '');
    // two states are lost
    const { code, stdout } = await palimpsestHere([...site.args(target, ['--repair']), '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { number: 4, change: 'repair', damaged_numbers: [1, 3], versions: 2 }]);
    expect(unneeded(target)).toEqual([]);
    expect(await site.publish(target, ['--repair'])).toMatchObject({ change: null, damaged_numbers: [] });
  });

  it('is refused without its store, for another store, and for links to the own machine', async () => {
    await site.grow(5);
    expect(await site.refused(target, ['--store', join(site.folder, 'none.db')])).toMatchObject({
      exit: 1,
      code: 'no-store',
      hint: expect.stringContaining('import'),
    });
    await site.grow(0, 'http://127.0.0.1:8080');
    expect(await site.refused(target)).toMatchObject({ exit: 3, code: 'loopback-url' });
    expect(existsSync(target)).toBe(false);
    expect(await site.publish(target, ['--allow-loopback'])).toMatchObject({ number: 1 });
  });

  it('is refused with another base URL than that of the current version', async () => {
    await site.grow(5);
    await site.publish(target);
    await site.grow(1, 'https://hisotry.example');
    const hint = expect.stringContaining(`--base-url ${BASE}`);
    expect(await site.refused(target)).toMatchObject({ exit: 3, code: 'other-base-url', hint });
    expect(await site.publish(target, ['--allow-other-base-url'])).toMatchObject({ number: 2 });
  });

  it('is refused at a target of another form, before any write', async () => {
    await site.grow(5);
    const tree = join(site.folder, 'tree');
    await palimpsestJson(['build', '--store', site.store, '--out', tree, '--base-url', BASE]);
    await palimpsestJson(['publish', target, '--out', tree]);
    const before = [...filesIn(target).keys()];
    for (const more of [[], ['--dry-run']]) expect(await site.refused(target, more)).toMatchObject({ exit: 3, code: 'other-form' });
    const { code, stdout } = await palimpsestHere(['publish', target, '--rollback', '--store', site.store, '--json']);
    expect([code, JSON.parse(stdout).error]).toMatchObject([1, { code: 'no-version', hint: expect.stringContaining('--number') }]);
    expect([...filesIn(target).keys()]).toEqual(before);
    const other = join(site.folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'notes.txt'), '');
    expect(await site.refused(other)).toMatchObject({ exit: 3, code: 'not-ours' });
  });
});
