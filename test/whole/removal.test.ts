import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeExclusion, handleHash } from '../../src/contract/accounts/exclusion.ts';
import { Store } from '../../src/store/store.ts';
import { account, record } from '../mirror/canned-service.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';

// these tests are about single items: the guard for many of them is tested in observe-guards.test.ts
process.env['PALIMPSEST_MAX_REJECTED'] = '100%';

/** Texts that only the removed account has. */
const SECRETS = ['nina_k', 'nina_old', 'a secret bio', 'an older secret', 'id-of-nina'];

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const seen = (day: number, screen_name: string, id: string, bio: string) =>
  line({ observed_at: `2024-01-${String(day).padStart(2, '0')}T00:00:00Z`, screen_name, id, bio });

/** Records and accounts of a service; every fourth record is of nina_k. */
function servicePages(name = 'nina_k'): string {
  const records = Array.from({ length: 40 }, (_, index) =>
    record(index + 1, {
      account: index % 4 === 0 ? name : `other_${index % 4}`,
      previous: index < 4 ? null : index - 3,
      text: index % 4 === 0 ? `a secret bio ${index}` : `text ${index}`,
    }),
  );
  const accounts = [name, 'other_1', 'other_2', 'other_3'].map((screen_name) =>
    account(
      screen_name,
      records.filter((one) => one.account === screen_name),
      { bio: screen_name === name ? 'a secret bio 36' : '' },
    ),
  );
  return [...records, ...accounts].map(line).join('');
}

let folder: string;
let store: string;

const json = (args: readonly string[], input = '') => palimpsestJson(args, { input });
const cli = (...args: string[]) => json([...args, '--store', store]);
const importing = (text: string, ...args: string[]) => json(['import', '-', '--store', store, ...args], text);
const observing = (text: string, ...args: string[]) => json(['observe', '-', '--store', store, ...args], text);
const exported = async (path = store) => (await palimpsestHere(['export', 'ndjson', '--to', '-', '--store', path])).stdout;

/** Runs a command that must fail with this exit code and a message like this. Returns the message. */
async function failing(code: number, message: RegExp, ...args: string[]): Promise<string> {
  const ended = await palimpsestHere([...args, '--store', store]);
  expect(ended).toMatchObject({ code, stderr: expect.stringMatching(message) });
  return ended.stderr;
}

/** Returns the texts of the removed account that a folder still has, with the files that have them. */
function secretsIn(path: string, secrets: readonly string[] = SECRETS): string[] {
  return [...filesIn(path)].flatMap(([file, bytes]) => secrets.filter((text) => bytes.includes(text)).map((text) => `${text} in ${file}`));
}

beforeEach(() => {
  folder = temporaryFolder();
  store = join(folder, 'store', 'store.db');
  mkdirSync(join(folder, 'store'));
});

describe('a removed account', () => {
  it('does not come back with an import of records, profiles, pages or broken items', async () => {
    await importing(servicePages());
    expect(await cli('remove', 'NINA_K', '--yes')).toMatchObject({ results: [{ screen_name: 'nina_k', records: 10 }] });
    const before = await exported();
    expect(await importing(servicePages())).toMatchObject({
      records_by_outcome: { added: 0, same: 60, excluded: 20 },
      accounts_by_outcome: { added: 0, same: 3, excluded: 1 },
    });
    const results = [record(1001, { account: 'other_1' }), record(1000, { account: 'nina_k', text: 'a secret bio' })];
    const page = { count: 2, next: null, previous: null, results };
    const broken = line({ account: 'nina_k', data_type: 'Bio', text: 'a secret bio' });
    const rejects = join(folder, 'rejects.ndjson');
    expect(await importing(line(page) + broken, '--rejects', rejects)).toMatchObject({
      records_by_outcome: { added: 1, excluded: 2 },
      rejected: 0,
      page_sets: [{ status: 'complete' }],
    });
    expect(existsSync(rejects)).toBe(false);
    expect((await exported()).replace(/.*"id":1001.*\n/, '').replaceAll(/.*"(version|excluded_at)".*\n/g, '')).toBe(
      before.replaceAll(/.*"(version|excluded_at)".*\n/g, ''),
    );
    expect(secretsIn(join(folder, 'store'))).toEqual([]);
  });

  it('is recognized by its records if the service renames it, and nothing of the new name stays', async () => {
    await importing(servicePages());
    await cli('remove', 'nina_k', '--yes');
    // the newest record comes first, and only a later one shows whose it is
    const newest = record(2000, { account: 'nina_new', previous: 1999, text: 'a secret bio of today' });
    const linked = record(1999, { account: 'nina_new', previous: 37, text: 'a secret bio of yesterday' });
    expect(await importing(line(newest) + line(account('nina_new', [newest])) + line(linked))).toMatchObject({
      records_by_outcome: { added: 0, excluded: 2 },
      accounts_by_outcome: { added: 0, excluded: 1 },
      accounts: 3,
    });
    expect(await importing(line(record(2001, { account: 'nina_third', previous: 2000 })))).toMatchObject({
      records_by_outcome: { excluded: 1 },
    });
    expect(secretsIn(join(folder, 'store'), ['nina', 'secret'])).toEqual([]);
  });

  it('does not come back with a snapshot under a new handle, a former handle or no stable id', async () => {
    await observing(
      seen(1, 'nina_old', 'id-of-nina', 'an older secret') + seen(2, 'nina_k', 'id-of-nina', 'a secret bio') + seen(2, 'bob', '7', 'b'),
    );
    expect(await cli('remove', 'nina_old', '--yes')).toMatchObject({
      results: [{ screen_name: 'nina_k', stable_id: 'id-of-nina', handles: ['nina_k', 'nina_old'], records: 2 }],
    });
    const renamed = seen(5, 'nina_new', 'id-of-nina', 'a secret bio');
    const nameless = ['nina_k', 'Nina_Old', 'nina_new'].map((screen_name) =>
      line({ observed_at: '2024-01-03T00:00:00Z', screen_name, bio: 'a secret bio' }),
    );
    expect(await observing(nameless.join('') + renamed + seen(6, 'bob', '7', 'new'))).toMatchObject({
      snapshots: 1,
      excluded: 4,
      records_by_field: { Bio: 1 },
      accounts_by_outcome: { added: 0 },
    });
    // the handle of the snapshot was learned
    expect(await importing(line(record(1, { account: 'nina_new' })))).toMatchObject({ records_by_outcome: { excluded: 1 } });
    expect(secretsIn(join(folder, 'store'))).toEqual([]);
  });

  it('leaves none of its bytes in the file, also none of earlier versions of its records', async () => {
    await importing(servicePages());
    await observing(seen(1, 'nina_old', 'id-of-nina', 'an older secret'));
    await observing(seen(2, 'nina_k2', 'id-of-nina', 'a secret bio'));
    await importing(servicePages().replaceAll('a secret bio', 'an older secret'), '--on-conflict', 'replace');
    expect(secretsIn(join(folder, 'store')).length).toBeGreaterThan(3);
    await cli('remove', 'nina_k', 'id:id-of-nina', '--yes');
    expect(secretsIn(join(folder, 'store'), [...SECRETS, 'secret', 'nina'])).toEqual([]);
    expect(readdirSync(join(folder, 'store'))).toEqual(['store.db']);
  });

  it('can be read again after its exclusion ended', async () => {
    await importing(servicePages());
    const before = await exported();
    await cli('remove', 'nina_k', '--yes');
    expect(await cli('exclusions')).toMatchObject({ results: [{ handles: [expect.stringMatching(/^[0-9a-f]{64}$/)], erased: true }] });
    expect(await cli('exclusions', 'Nina_K')).toMatchObject({ results: [{ stable_ids: [] }] });
    await failing(1, /no-account/, 'exclusions', 'bob');
    await failing(2, /usage/, 'exclusions', '--end');
    expect(await cli('exclusions', 'nina_k', '--end')).toMatchObject({ ended: true, results: [{}] });
    expect(await cli('exclusions')).toMatchObject({ results: [] });
    expect(await importing(servicePages())).toMatchObject({ records_by_outcome: { excluded: 0 }, accounts: 4 });
    expect(await exported()).toBe(before);
  });
});

describe('palimpsest remove', () => {
  it('changes nothing without --yes, shows what it would remove, and says afterwards where the account still is', async () => {
    await importing(servicePages() + line(record(500, { account: 'bob', text: 'with @Nina_K' })));
    const before = readFileSync(store);
    await failing(3, /not-confirmed.*nina_k: 10 records.*mentions certain in 1 record.*: 500 of bob.*--yes/s, 'remove', 'nina_k');
    const { stdout } = await palimpsestHere(['remove', 'nina_k', '--dry-run', '--store', store]);
    expect(stdout).toMatch(/would remove 1 account.*nina_k: 10 records.*nothing was written/s);
    expect(await cli('remove', 'nina_k', '--dry-run')).toMatchObject({
      dry_run: true,
      mentions: { certain: 1, possible: 0, listed: [{ id: 500, account: 'bob', is_certain: true }] },
    });
    const env = { PALIMPSEST_DRY_RUN: '1' };
    const { stdout: fromVariable } = await palimpsestHere(['remove', 'nina_k', '--yes', '--store', store], { env });
    expect(fromVariable).toContain(`nothing was written: run again without PALIMPSEST_DRY_RUN to change ${store}`);
    expect(readFileSync(store).equals(before)).toBe(true);
    const { stdout: done } = await palimpsestHere(['remove', 'nina_k', '--yes', '--store', store]);
    expect(done).toMatch(/removed 1 account.*need --allow-gaps; .*with --rewrite-versions\nbackups .* --keep-last 1;/s);
  });

  it('refuses unknown and ambiguous names, and removes all accounts or none', async () => {
    await observing(seen(1, 'ann', '1', 'a') + seen(2, 'anna', '1', 'a') + seen(3, 'ann', '2', 'b') + seen(3, '2', '3', 'c'));
    const before = await exported();
    await failing(1, /no-account.*--allow-unknown/s, 'remove', 'anna', 'nobody', '--yes');
    await failing(1, /no-account.*did you mean @ann.*\? To exclude the name anyway, add --allow-unknown/s, 'remove', 'anne', '--yes');
    await failing(1, /ambiguous-account.*id:2/s, 'remove', '2', '--yes');
    await failing(1, /id:1/, 'remove', 'ann', '--yes');
    expect(await exported()).toBe(before);
    // another account has the former handle now, and stays
    expect(await cli('remove', 'id:1', '--yes')).toMatchObject({ results: [{ screen_name: 'anna' }], shared: ['ann'] });
    expect(await observing(seen(9, 'ann', '2', 'new') + seen(9, 'other', '1', 'd'))).toMatchObject({
      records_by_field: { Bio: 1 },
      excluded: 1,
    });
  });

  it('names other accounts that had one of the handles, also if their name shows it only with ~', async () => {
    await importing(
      line(record(1, { account: 'victim' })) + line(record(2, { account: 'victim~5' })) + line(record(3, { account: 'victims' })),
    );
    await observing(seen(1, 'victim', '99', 'a') + seen(2, 'Victim', '98', 'b'));
    const { namesakes } = await cli('remove', 'id:98', '--dry-run');
    expect(namesakes).toEqual(['victim~5', 'victim~99']);
    await failing(3, /not-confirmed.*namesake victim~99 has or had one of these handles/s, 'remove', 'id:98');
  });

  it('lists each handle once, also one that the account had twice', async () => {
    await observing(seen(1, 'ann', '1', 'a') + seen(2, 'bea', '1', 'a') + seen(3, 'ann', '1', 'a') + seen(4, 'bea', '1', 'a'));
    expect(await cli('remove', 'bea', '--dry-run')).toMatchObject({ results: [{ handles: ['bea', 'ann'] }] });
  });

  it('can be named as `accounts` lists it, also if its handle begins with @', async () => {
    await importing(servicePages('@nina_k'));
    const { results } = await cli('accounts');
    expect(results).toMatchObject(expect.arrayContaining([expect.objectContaining({ screen_name: '@nina_k' })]));
    expect(await cli('remove', '@nina_k', '--yes', '--allow-unknown')).toMatchObject({
      results: [{ screen_name: '@nina_k', records: 10 }],
      excluded_names: [],
    });
    expect(await cli('remove', '@nina_k', '--yes')).toMatchObject({ results: [], known: ['@nina_k'] });
    expect(await cli('exclusions', '@nina_k', '--end')).toMatchObject({ ended: true, results: [{}] });
  });

  it.each([
    ['the store does not have', true],
    ['is to be excluded before there is a store or its folder', false],
  ])('excludes a name that %s with --allow-unknown, and says so if it runs again', async (_, hasStore) => {
    if (hasStore) await importing(line(record(1)));
    else rmSync(dirname(store), { recursive: true, force: true });
    const trial = await palimpsestHere(['remove', 'nina_k', '--allow-unknown', '--dry-run', '--store', store]);
    expect(trial.stdout.includes(`would create a new store at ${store}`)).toBe(!hasStore);
    expect(await cli('remove', 'nina_k', '--allow-unknown', '--yes')).toMatchObject({
      results: [],
      excluded_names: ['nina_k'],
      created_store: !hasStore,
    });
    expect(await cli('remove', 'nina_k', '--yes')).toMatchObject({
      results: [],
      excluded_names: [],
      known: ['nina_k'],
      created_store: false,
    });
    expect(await importing(servicePages())).toMatchObject({ records_by_outcome: { excluded: 20 } });
  });

  it('names the next steps again in a second run, because nothing may have been built and published since the first', async () => {
    await importing(servicePages());
    const removing = async (...args: string[]) => {
      const { stdout } = await palimpsestHere(['remove', ...args, '--yes', '--store', store]);
      return stdout.slice(stdout.search(/^(next|the store had)/m));
    };
    const first = await removing('nina_k');
    expect(first).toMatch(/^next.*build[\s\S]*then publish: [\s\S]*backups of the store/);
    expect(await removing('nina_k')).toBe(first);
    expect(await removing('nobody', '--allow-unknown')).toBe('the store had no data of these accounts\n');
  });

  it('reports an account whose bytes cannot be erased because another process reads the store', async () => {
    await importing(servicePages());
    const reader = Store.open(store);
    await failing(1, /still readable.*store-busy[\s\S]*only their hashes now: nina_k$/m, 'remove', 'nina_k', '--yes');
    reader.close();
    expect(await cli('remove', 'nina_k', '--yes')).toMatchObject({ known: ['nina_k'] });
    expect(secretsIn(join(folder, 'store'))).toEqual([]);
  });
});

describe('the list of exclusions', () => {
  it('goes with an export, and an import restores the same store', async () => {
    await importing(servicePages());
    await cli('remove', 'nina_k', '--yes');
    await cli('remove', 'other_1', 'id:77', '--allow-unknown', '--yes');
    const text = await exported();
    const copy = join(folder, 'copy.db');
    expect(await json(['import', '-', '--store', copy], text)).toMatchObject({ exclusions_by_outcome: { added: 3 } });
    expect(await exported(copy)).toBe(text);
    expect(await json(['import', '-', '--store', copy], text)).toMatchObject({ exclusions_by_outcome: { added: 0, same: 3 } });
    expect(await json(['import', '-', '--store', copy], servicePages())).toMatchObject({ records_by_outcome: { excluded: 40 } });
    const input = text.split('\n').toSpliced(1, 1).join('\n');
    const { code, stderr } = await palimpsestHere(['import', '-', '--store', join(folder, 'cut.db')], { input });
    expect([code, stderr]).toEqual([1, expect.stringContaining('3 exclusions')]);
  });

  it('conflicts with an account of the store that imports it, and the policy decides', async () => {
    await importing(servicePages());
    const other = join(folder, 'other.db');
    copyFileSync(store, other);
    await cli('remove', 'nina_k', '--yes');
    const text = await exported();
    const into = (...args: string[]) => palimpsestHere(['import', '-', '--store', other, '--json', ...args], { input: text });
    expect(await into()).toMatchObject({ code: 1, stdout: expect.stringMatching(/"conflict".*--on-conflict/s) });
    expect(JSON.parse((await into('--on-conflict', 'keep')).stdout)).toMatchObject({ exclusions_by_outcome: { kept: 1 }, accounts: 4 });
    expect(JSON.parse((await into('--on-conflict', 'replace')).stdout)).toMatchObject({
      exclusions_by_outcome: { replaced: 1 },
      accounts: 3,
    });
    expect(await exported(other)).toBe(text);
  });

  it('is named by a push of another machine that is refused, because sources bring a removed account back', async () => {
    const [place, other] = [join(folder, 'place'), join(folder, 'other.db')];
    mkdirSync(place);
    const earlier = { excluded_at: '2024-01-01T00:00:00Z', handles: [handleHash('gone')], stable_ids: [], records: [] };
    await importing(`${encodeExclusion(earlier)}\n${servicePages()}`);
    await cli('store', 'push', place);
    copyFileSync(store, other);
    await json(['remove', 'nina_k', '--yes', '--store', other]);
    await observing(seen(1, 'ann', '1', 'a'));
    await cli('store', 'push', place);
    const { code, stderr } = await palimpsestHere(['store', 'push', place, '--store', other]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/ --store other.db --on-conflict replace` \(\S+ has 2 removals, 1 since version 1\)/);
    const newest = join(folder, 'newest.db');
    await json(['store', 'pull', place, '--store', newest]);
    const exclusions = (await exported(other)).split('\n').filter((one) => one.startsWith('{"excluded_at"'));
    await json(['import', '-', '--store', newest, '--on-conflict', 'replace'], exclusions.join('\n'));
    expect(secretsIn(folder).filter((found) => found.endsWith('newest.db'))).toEqual([]);
    expect(await json(['store', 'push', place, '--store', newest])).toMatchObject({ up_to_date: false });
  });

  it('goes with a backup, which accepts the store after a removal', async () => {
    const place = join(folder, 'place');
    mkdirSync(place);
    await importing(servicePages());
    await cli('store', 'push', place);
    await cli('remove', 'nina_k', '--yes');
    // a pull does not undo the removal
    await failing(3, /store-diverged/, 'store', 'pull', place);
    expect(await cli('store', 'push', place)).toMatchObject({ up_to_date: false });
    const copy = join(folder, 'copy.db');
    await json(['store', 'pull', place, '--store', copy]);
    expect(await exported(copy)).toBe(await exported());
    await cli('remove', 'somebody', '--allow-unknown', '--yes');
    expect(await cli('store', 'push', place, '--keep-last', '1')).toMatchObject({ up_to_date: false, kept: 1 });
    expect(await json(['store', 'versions', place])).toMatchObject({ results: [{ number: 3 }] });
  });
});

/** Spellings of one handle: in upper case, decomposed, with full-width letters, an invisible character, spaces, and `@`. */
const SPELLINGS = ['JOSÉ', 'Jose\u0301', 'Ｊｏｓé', 'Jo\u200bsé', 'José ', '@José'];

describe('a handle in another spelling', () => {
  it.each(SPELLINGS)('does not bring the account back: %j', async (name) => {
    await observing(seen(1, 'José', '1', 'a bio'));
    await cli('remove', 'José', '--yes');
    await observing(line({ observed_at: '2024-02-01T00:00:00Z', screen_name: name, bio: 'a bio again' }));
    await importing(line(record(1, { account: name })));
    expect(await exported()).not.toMatch(/bio again|"account":/);
  });

  it.each(SPELLINGS)('is the same account in observe, and the store keeps the spelling of the source: %j', async (name) => {
    const snapshot = (day: number, screen_name: string) =>
      line({ observed_at: `2024-01-0${day}T00:00:00Z`, screen_name, bio: `bio of day ${day}` });
    await observing(snapshot(1, name));
    expect(await observing(snapshot(2, 'José'))).toMatchObject({ accounts_by_outcome: { added: 0 } });
    expect(await cli('history', name)).toMatchObject({ screen_name: 'José', former_handles: [{ handle: name }] });
  });
});

describe('the answer for the one who asked', () => {
  it('names the account in exclusions as it was asked for', async () => {
    await importing(line(record(1, { account: 'other' })));
    for (const name of ['nina_k', 'ann']) await cli('remove', name, '--allow-unknown', '--yes');
    expect(await cli('exclusions', '@Nina_K')).toMatchObject({ results: [{ names: ['@Nina_K'] }] });
    const { stdout } = await palimpsestHere(['exclusions', '@Nina_K', '--store', store]);
    expect(stdout).toMatch(/Z {2}@Nina_K: 1 handle, 1 stable id/);
    expect((await palimpsestHere(['exclusions', '--store', store])).stdout).not.toContain('@');
  });
});

describe('the tree and the target after a removal', () => {
  it('lose the pages, their compressed copies and every byte of the account', async () => {
    const [out, target] = [join(folder, 'out'), join(folder, 'target')];
    const sizes = ['--page-size', '5', '--account-page-size', '2', '--compress', 'gzip,brotli'];
    const build = () => cli('build', '--out', out, '--base-url', 'https://example.org', ...sizes);
    await importing(servicePages());
    await build();
    await json(['publish', target, '--out', out]);
    const pages = [...filesIn(target).keys()];
    await cli('remove', 'nina_k', '--yes');
    await build();
    const left = [...filesIn(out).keys()].filter((file) => !file.startsWith('.'));
    const gone = pages.filter((file) => !left.includes(file) && file.startsWith('rest/'));
    for (const suffix of ['', '.gz', '.br']) expect(gone).toContain(`rest/data/page/8/index.json${suffix}`);
    expect(secretsIn(out)).toEqual([]);
    await cli('verify', '--out', out);
    const publish = ['publish', target, '--out', out];
    // without the store, a publish does not know that the deletes follow from a removal
    const elsewhere = await palimpsestHere([...publish, '--allow-gaps'], { cwd: temporaryFolder() });
    expect(elsewhere).toMatchObject({ code: 3, stderr: expect.stringContaining('too-many-deletes') });
    const plan = await palimpsestHere([...publish, '--allow-gaps', '--dry-run', '--store', store]);
    expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining('removal of 1 account with 10 records') });
    expect(await failing(3, /reader-gaps.*newest store.*--allow-gaps/s, ...publish)).not.toContain('too-many-deletes');
    expect(await cli(...publish, '--allow-gaps')).toMatchObject({ removal: { accounts: 1, records: 10 } });
    expect(secretsIn(target)).toEqual([]);
    for (const file of gone) expect(existsSync(join(target, file)), file).toBe(false);
  });

  it('are refused a tree of a store that was copied before the removal, although it has more records since', async () => {
    const [out, target, older] = [join(folder, 'out'), join(folder, 'target'), join(folder, 'older.db')];
    const build = (path: string) => json(['build', '--out', out, '--base-url', 'https://example.org', '--replace-tree', '--store', path]);
    const publish = (...args: string[]) => palimpsestHere(['publish', target, '--out', out, ...args]);
    await importing(servicePages());
    await build(store);
    await cli('publish', target, '--out', out);
    copyFileSync(store, older);
    await cli('remove', 'nina_k', '--yes');
    await build(store);
    await cli('publish', target, '--out', out, '--allow-gaps');
    // a publish without a store keeps the count
    await observing(seen(1, 'ann', '1', 'a bio'));
    await build(store);
    expect(await palimpsestHere(['publish', target, '--out', out], { cwd: temporaryFolder() })).toMatchObject({ code: 0 });
    const names = Array.from({ length: 30 }, (_, index) => `user_${index}`);
    await json(['observe', '-', '--store', older], names.map((name, index) => seen(2, name, `${index}`, 'a bio')).join(''));
    await build(older);
    const before = filesIn(target);
    const refusal = expect.stringMatching(/store-diverged.*at least 1 removed account.*no removed account.*--replace/s);
    expect(await publish('--store', older)).toMatchObject({ code: 3, stderr: refusal });
    const plan = await publish('--store', older, '--dry-run', '--json');
    expect(JSON.parse(plan.stdout)).toMatchObject({ refusals: [{ code: 'store-diverged' }] });
    expect(filesIn(target)).toEqual(before);
    expect(secretsIn(target)).toEqual([]);
    // the same removal in the older store, or an end of the exclusion
    expect(await publish('--store', older, '--replace')).toMatchObject({ code: 0 });
    expect(secretsIn(target)).not.toEqual([]);
    await json(['remove', 'nina_k', '--yes', '--store', older]);
    await build(older);
    expect(await publish('--store', older, '--allow-gaps')).toMatchObject({ code: 0 });
    expect(secretsIn(target)).toEqual([]);
  });

  it('are compared by the number of removals, also if a removal changes no page', async () => {
    const [out, target, older] = [join(folder, 'out'), join(folder, 'target'), join(folder, 'older.db')];
    const publish = ['publish', target, '--out', out];
    await importing(servicePages());
    await cli('build', '--out', out, '--base-url', 'https://example.org');
    await cli(...publish);
    copyFileSync(store, older);
    await cli('remove', 'somebody', '--allow-unknown', '--yes');
    expect(await cli(...publish)).toMatchObject({ done: { uploads: 0 } });
    expect(await cli(...publish)).toMatchObject({ requests: { all: 1, reads: 1 } });
    expect(await palimpsestHere([...publish, '--store', older])).toMatchObject({ code: 3 });
    await cli('exclusions', 'somebody', '--end');
    await failing(3, /store-diverged.*--replace/s, ...publish);
    await cli(...publish, '--replace');
    expect(await palimpsestHere([...publish, '--store', older])).toMatchObject({ code: 0 });
  });
});
