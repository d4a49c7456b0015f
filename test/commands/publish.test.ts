import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Growing } from '../publish/growing.ts';
import { portOf } from '../publish/stores.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';

const folder = folderOfFile();
const tree = async () => {
  const { out } = await Growing.of(folder, 'tree', { records: 30, accounts: 3 });
  return { out, store: `${out}.db` };
};

/** A store that denies everything, and who asked. */
async function denying(): Promise<{ readonly endpoint: string; readonly asked: (string | undefined)[] }> {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.writeHead(403).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { endpoint: `http://127.0.0.1:${portOf(server)}`, asked };
}

it('treats an empty secret as unset', async () => {
  const { out } = await tree();
  const { endpoint, asked } = await denying();
  const { code, stderr } = await palimpsestHere(['publish', 'az://history', '--endpoint', endpoint, '--out', out], {
    env: { AZURE_STORAGE_CONNECTION_STRING: '', AZURE_STORAGE_ACCOUNT: 'somebody', AZURE_STORAGE_KEY: 'c2VjcmV0' },
  });
  expect(stderr).toContain('(target-denied)');
  expect(code).toBe(1);
  expect(asked[0]).toMatch(/^SharedKey somebody:/);
  const none = await palimpsestHere(['publish', 'az://history', '--out', out], {
    env: { AZURE_STORAGE_CONNECTION_STRING: '', AZURE_STORAGE_ACCOUNT: '', AZURE_STORAGE_KEY: '' },
  });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('AZURE_STORAGE_ACCOUNT or --endpoint') });
});

it('warns if the job summary cannot be written after a successful publish', async () => {
  const { out } = await tree();
  const site = join(temporaryFolder(), 'site');
  const { code, stdout, stderr } = await palimpsestHere(['publish', site, '--out', out, '--json'], {
    env: { GITHUB_STEP_SUMMARY: join(site, 'nowhere/summary.md') },
  });
  expect(stderr).toMatch(/^warning: cannot write the table for the job summary: ENOENT.*\n$/m);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ done: { uploads: expect.any(Number) } });
  expect(filesIn(site).has('rest/data/index.json')).toBe(true);
});

it.each<[string, string]>([
  ['--cache-control', 'a\nb'],
  ['--cache-control', 'público'],
  ['--region', 'eu west 1'],
  ['--region', ''],
])('rejects %s %j before any request to a store', async (option, value) => {
  const { endpoint, asked } = await denying();
  const { code, stderr } = await palimpsestHere(['publish', 's3://history', '--endpoint', endpoint, option, value]);
  expect(stderr).toMatch(/ is invalid .*expected .*such as/s);
  expect(code).toBe(2);
  expect(asked).toEqual([]);
});

describe('publish without credentials', () => {
  /** A machine that has none. */
  const none = {
    AWS_ACCESS_KEY_ID: '',
    AWS_PROFILE: '',
    AWS_CONFIG_FILE: '/there/is/none',
    AWS_SHARED_CREDENTIALS_FILE: '/there/is/none',
    AWS_EC2_METADATA_DISABLED: 'true',
    AZURE_STORAGE_CONNECTION_STRING: '',
    AZURE_STORAGE_KEY: '',
    AZURE_CLIENT_ID: '',
    AZURE_TOKEN_CREDENTIALS: 'EnvironmentCredential',
  };
  const web = { AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/nightly', AWS_WEB_IDENTITY_TOKEN_FILE: '/there/is/none' };

  it.each<[string, string, Record<string, string>]>([
    ['s3://history', 'no credentials', {}],
    ['s3://history', 'ENOENT', web],
    ['az://history', 'no credentials', {}],
  ])('names the variables to set for %s', async (address, found, env) => {
    const { out } = await tree();
    const args = ['publish', address, '--endpoint', 'https://127.0.0.1:9', '--out', out, '--json'];
    const { code, stdout } = await palimpsestHere(args, { env: { ...none, ...env } });
    const { error } = JSON.parse(stdout);
    expect(error).toMatchObject({ code: 'target-denied', found: expect.stringContaining(found) });
    expect(code).toBe(1);
    const documented = readFileSync(new URL('../../docs/publish.md', import.meta.url), 'utf8');
    const variables = error.hint.match(/\b(AWS|AZURE)_\w+/g);
    expect(variables).toContain(address.startsWith('s3') ? 'AWS_ACCESS_KEY_ID' : 'AZURE_STORAGE_ACCOUNT');
    for (const variable of variables) expect(documented).toContain(`\`${variable}\``);
  });
});

it('warns that a target is new, also if it is quiet, but not the next time', async () => {
  const { out, store } = await tree();
  const site = join(temporaryFolder(), 'site');
  const backup = join(temporaryFolder(), 'backup');
  for (const [target, ...args] of [
    [site, 'publish', site, '--out', out, '--dry-run'],
    [site, 'publish', site, '--out', out],
    [backup, 'store', 'push', backup, '--store', store],
  ]) {
    const stderr = `warning: ${target} is a new target: no earlier run wrote to it. If this is not the first run there, check the name of the target\n`;
    expect(await palimpsestHere([...args, '--quiet']), args.join(' ')).toMatchObject({ code: 0, stderr });
  }
  expect(await palimpsestHere(['publish', site, '--out', out])).toMatchObject({ stderr: '' });
  expect(await palimpsestHere(['store', 'push', backup, '--store', store])).toMatchObject({ stderr: '' });
});

it('warns of a tree that lacks the latest changes of the store, like archive, although nothing is to be published', async () => {
  const [cwd, input] = [temporaryFolder(), JSON.stringify({ observed_at: '2024-03-01T00:00:00Z', screen_name: 'nina', bio: 'a' })];
  const observe = (text: string) => palimpsestJson(['observe', '-'], { cwd, input: text });
  const publish = ['publish', 'site', '--allow-loopback', '--quiet'];
  await observe(input);
  await palimpsestJson(['build'], { cwd });
  await palimpsestHere(publish, { cwd });
  expect(await palimpsestHere(publish, { cwd })).toMatchObject({ code: 0, stderr: '' });
  await observe(input.replace('-01T', '-02T').replace('"a"', '"b"'));
  const warning = /^warning: the tree in out lacks the latest changes in data\/palimpsest.db: .* first run .*palimpsest.js build\n$/;
  for (const args of [publish, [...publish, '--repair'], [...publish, '--dry-run'], ['archive', 'bag', '--to', 'bag', '--quiet']])
    expect(await palimpsestHere(args, { cwd })).toMatchObject({ code: 0, stderr: expect.stringMatching(warning) });
});

it.each(['out', 'history.zip'])('warns of HTML pages in %s that lack a day with snapshots, but not of pages without HTML', async (out) => {
  const cwd = temporaryFolder();
  const observe = (day: number) =>
    palimpsestJson(['observe', '-'], { cwd, input: `{"observed_at":"2024-03-0${day}T00:00:00Z","screen_name":"nina","bio":"a"}` });
  const warning = async () => {
    const { code, stderr } = await palimpsestHere(['publish', 'site', '--out', out, '--allow-loopback', '--quiet'], { cwd });
    expect(code).toBe(0);
    return stderr.includes(`the tree in ${out} lacks the latest changes`);
  };
  await observe(1);
  await palimpsestJson(['build', '--out', out], { cwd });
  await observe(2);
  const found = [await warning()];
  await palimpsestJson(['build', '--out', out, '--html'], { cwd });
  found.push(await warning());
  await observe(3);
  found.push(await warning());
  expect(found).toEqual([false, false, true]);
});

describe.each([
  ['publish', ['publish', 'site', '--allow-loopback']],
  ['archive', ['archive', 'bag', '--to', 'bag']],
])('%s', (_, [command = '', ...args]) => {
  it.each<[string, (store: string) => void]>([
    ['a file that is no store', (store) => writeFileSync(store, 'none')],
    ['an empty file', (store) => writeFileSync(store, '')],
    ['a folder', (store) => mkdirSync(store)],
  ])('needs no store: %s at the default path is a warning, and with --store an error', async (_, write) => {
    const [cwd, { out }, store] = [temporaryFolder(), await tree(), 'data/palimpsest.db'];
    mkdirSync(join(cwd, 'data'));
    write(join(cwd, store));
    const all = [command, ...args, '--out', out, '--quiet'];
    expect(await palimpsestHere([...all, '--store', store], { cwd })).toMatchObject({ code: 1 });
    const { code, stderr } = await palimpsestHere(all, { cwd });
    const warnings = stderr.split('\n').filter((line) => line.includes('not checked for removed accounts'));
    expect([code, warnings]).toEqual([0, [expect.stringMatching(/^warning: .*data\/palimpsest\.db.*with --store$/)]]);
  });

  it('fails if the file that --store names does not exist', async () => {
    const [cwd, { out }] = [temporaryFolder(), await tree()];
    const { code, stderr } = await palimpsestHere([command, ...args, '--out', out, '--store', 'dta/palimpsest.db'], { cwd });
    expect([code, stderr]).toEqual([1, expect.stringContaining('(no-store)')]);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

it('shows the totals of a plan, the files of each reason, and ten steps at most', async () => {
  const { out } = await tree();
  const { stdout } = await palimpsestHere(['publish', join(temporaryFolder(), 'site'), '--out', out, '--dry-run']);
  const { actions: steps } = JSON.parse(
    (await palimpsestHere(['publish', join(temporaryFolder(), 'site'), '--out', out, '--dry-run', '--json'])).stdout,
  );
  const shown = stdout.split('\n').filter((line) => /^ {2}upload {3}[a-z]/.test(line));
  expect(shown).toHaveLength(Math.min(steps.length, 10));
  expect(stdout).toMatch(
    /^plan for .*\n {2}uploads {3}\d+ files, 0 unchanged\n(?: .*\n)* {2}upload {4}\d+ files, [\d,]+ bytes: not at the target\n/,
  );
  expect(stdout.includes('(--json lists all):')).toBe(steps.length > 10);
});

it('a published folder has no violation, because publish wrote its publish.json', async () => {
  const { out, store } = await tree();
  const target = join(temporaryFolder(), 'site');
  await palimpsestJson(['publish', target, '--out', out, '--allow-loopback']);
  expect(await palimpsestHere(['verify', '--out', target, '--store', store])).toMatchObject({ code: 0 });
  writeFileSync(join(target, 'publish.json'), '{"name":"a package"}');
  const { code, stdout } = await palimpsestHere(['verify', '--out', target]);
  expect([code, stdout]).toEqual([1, expect.stringContaining('publish.json: 1 violation\n  unexpected-file')]);
});

it('refuses a folder with --endpoint, because the user forgot s3://', async () => {
  const { out } = await tree();
  const folder = temporaryFolder();
  const args = ['publish', 'bucket/site', '--out', out, '--allow-loopback', '--endpoint', 'https://store.example'];
  const { code, stderr } = await palimpsestHere(args, { cwd: folder });
  expect(stderr).toContain('--endpoint cannot be used with a folder (usage)');
  expect(stderr).toContain('did you mean s3://bucket/site?');
  expect(code).toBe(2);
  expect(filesIn(folder).size).toBe(0);
});

it('accepts PALIMPSEST_ENDPOINT with a folder, because other commands of a job need the variable', async () => {
  const { out } = await tree();
  const target = join(temporaryFolder(), 'site');
  const env = { PALIMPSEST_ENDPOINT: 'https://store.example', PALIMPSEST_REGION: 'eu-central-1' };
  expect(await palimpsestHere(['publish', target, '--out', out, '--allow-loopback'], { env })).toMatchObject({ code: 0 });
});
