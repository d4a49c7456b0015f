import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { allHosts, REFUSED } from '../../src/rewrite/hosts/registry.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { buildTree, goodHistory, importHistory } from '../verify/good-tree.ts';
import { folderOfFile } from '../whole/stores.ts';

const HOSTS = await allHosts();

/** A folder with a store, and a tree in `out` for https://history.example/api. */
const made = folderOfFile();

beforeAll(async () => {
  await importHistory(join(made, 'store.db'), goodHistory());
  await buildTree(join(made, 'store.db'), join(made, 'out'));
});

/** A copy of the folder, for a test that changes it. */
function withTree(): string {
  const folder = temporaryFolder();
  cpSync(made, folder, { recursive: true });
  return folder;
}

describe('rewrite without a host', () => {
  it('lists every host with the capabilities it lacks, and the refused hosts', async () => {
    const { code, stdout } = await palimpsestHere(['rewrite']);
    expect(code).toBe(0);
    for (const { name, title, testedOn: proof, cannot, atOrigin } of HOSTS) {
      if (atOrigin !== undefined) expect(stdout).toContain(`with --origin lacks: ${Object.keys(atOrigin.cannot).join(', ')}`);
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +${title.replace('@', '.')}$`, 'm'));
      expect(stdout).toContain(`tested on ${proof}`);
      expect(stdout).toContain(`lacks: ${Object.keys(cannot).join(', ') || 'nothing'}`);
    }
    for (const { name, reason, instead } of REFUSED) for (const text of [`  ${name} `, reason, instead]) expect(stdout).toContain(text);
    expect(stdout).toContain('100,000 files and 26,214,400 bytes per file');
    const { hosts, refused } = await palimpsestJson(['rewrite']);
    const listed = HOSTS.map(({ name, title, testedOn, cannot, steps }) => ({ name, title, tested_on: testedOn, cannot, steps }));
    expect(hosts).toMatchObject(listed);
    expect(refused).toEqual(REFUSED);
  });
});

describe('rewrite', () => {
  it.each(HOSTS.map(({ name }) => name))('writes the files for %s, and prints the same files without --to', async (name) => {
    const [cwd, host] = [made, join(temporaryFolder(), 'host')];
    const { results: files, steps } = await palimpsestJson(['rewrite', name], { cwd });
    if (!Array.isArray(files) || !Array.isArray(steps)) throw new Error('no files, or no steps');
    const inWords = steps.map((step) => `  ${step}\n`).join('');
    const { code, stdout } = await palimpsestHere(['rewrite', name, '--to', host], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain(inWords);
    const written = filesIn(host);
    const printed = await palimpsestHere(['rewrite', name], { cwd });
    expect([...written.keys()].sort()).toEqual(files.map(({ path }) => path).sort());
    for (const { path, where, text } of files) {
      expect(written.get(path)?.toString()).toBe(text);
      const heading = `==> ${path}: ${where}\n\n`;
      if (files.length > 1) expect(printed.stdout, 'to be copied').toContain(`${heading}${text}`);
      else expect(printed, 'to be redirected').toMatchObject({ stdout: text, stderr: expect.stringContaining(heading) });
      expect(stdout).toContain(`  ${path}: ${where}\n`);
    }
    expect(printed.stdout).not.toContain('to install the files');
    expect(printed.stderr).toContain(inWords);
    // the same again changes nothing
    expect(await palimpsestHere(['rewrite', name, '--to', host, '--quiet'], { cwd })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(filesIn(host)).toEqual(written);
  });

  it('writes files for the origin in --origin, and for the compressed files of the tree', async () => {
    const cwd = withTree();
    const origin = 'https://bucket.s3.eu-central-1.amazonaws.com/some/where/';
    const { stdout } = await palimpsestHere(['rewrite', 'nginx', '--origin', origin], { cwd });
    expect(stdout).toContain('location ~ ^/api/rest/');
    expect(stdout).toContain(
      'proxy_pass https://bucket.s3.eu-central-1.amazonaws.com/some/where/rest/$palimpsest_collection/$palimpsest_file;',
    );
    expect(stdout).toContain('proxy_set_header Host bucket.s3.eu-central-1.amazonaws.com;');
    expect(stdout).not.toContain('root /var');
    const shouted = await palimpsestHere(['rewrite', 'nginx', '--origin', origin.replace('https://bucket', 'HTTPS://BUCKET')], { cwd });
    expect(shouted.stdout).toBe(stdout);
    const url = 'https://history.example/api';
    await palimpsestJson(['build', '--store', 'store.db', '--base-url', url, '--compress', 'gzip,brotli', '--replace-tree'], { cwd });
    const packed = await palimpsestHere(['rewrite', 'nginx', '--origin', 'http://127.0.0.1:7480'], { cwd });
    expect(packed.stdout).toMatch(/"\.br";\n.*"\.gz";\n/);
    expect(packed.stdout).toContain('proxy_pass http://127.0.0.1:7480/rest/$palimpsest_collection/$palimpsest_file$palimpsest_suffix;');
  });

  it('rejects --origin for a host that cannot have one', async () => {
    const name = HOSTS.find(({ atOrigin }) => atOrigin === undefined)?.name ?? '';
    const { code, stderr } = await palimpsestHere(['rewrite', name, '--origin', 'https://bucket.example']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/does not support --origin \(usage\)\n {2}expected {2}.*nginx/)]);
  });

  it.each([
    's3://bucket/prefix',
    'https://user:password@bucket.example',
    'https://bucket.example/?prefix=a',
    'https://bucket.example/a;}',
    'https://bucket.example//a',
    '',
  ])('rejects "%s" as an origin', async (origin) => {
    const { code, stdout, stderr } = await palimpsestHere(['rewrite', 'nginx', '--origin', origin]);
    expect([code, stdout, stderr.includes('the origin is not the address of a tree')]).toEqual([2, '', true]);
    expect(stderr).not.toMatch(/password|prefix=a/);
  });

  it('writes files for the root of a host if there is no tree, and warns', async () => {
    const { code, stdout, stderr } = await palimpsestHere(['rewrite', 'nginx'], { cwd: temporaryFolder() });
    expect(code).toBe(0);
    expect(stdout).toContain('location ~ ^/rest/');
    const consequence = 'the files are for a tree at the root of example.org, and the limits of the host were not checked';
    expect(stderr.split('\n', 1)).toEqual([`warning: there is no finished tree in out: ${consequence}`]);
  });

  it.each(REFUSED)('refuses $name and shows the reason', async ({ name, title, reason, instead }) => {
    const { code, stderr } = await palimpsestHere(['rewrite', name]);
    expect([code, stderr]).toEqual([
      3,
      `error: ${title} cannot serve a tree (host-refused)\n  expected  a host that can answer ?page=2 with another file than ?page=3\n  found     ${reason}\n  try       ${instead}\n`,
    ]);
  });

  it('rejects an unknown host, and a missing one with an option for its files, and lists the known hosts', async () => {
    for (const args of [['iis'], ['--to', 'host']]) {
      const { code, stderr } = await palimpsestHere(['rewrite', ...args]);
      expect(code).toBe(2);
      for (const { name } of HOSTS) expect(stderr).toContain(name);
    }
  });

  it('rejects a folder without a tree in --out, and names the option for the files', async () => {
    const { code, stderr } = await palimpsestHere(['rewrite', 'nginx', '--out', 'host'], { cwd: withTree() });
    expect([code, stderr]).toEqual([1, expect.stringContaining('there is no finished tree in host (no-tree)')]);
    expect(stderr).toContain('the folder for the files of the host with --to');
  });

  it('warns if the base URL of the tree is that of this machine', async () => {
    const cwd = withTree();
    await palimpsestJson(['build', '--store', 'store.db', '--out', 'new'], { cwd });
    const { code, stdout, stderr } = await palimpsestHere(['rewrite', 'nginx', '--out', 'new'], { cwd });
    const warning =
      'warning: the files are for http://127.0.0.1:8080, which only this machine reaches: for a site, build with --base-url\n';
    expect([code, stderr.startsWith(warning)]).toEqual([0, true]);
    expect(stdout).toContain('server_name 127.0.0.1;');
  });

  it('does not write into a tree, and does not overwrite a file with different content', async () => {
    const cwd = withTree();
    const before = filesIn(join(cwd, 'out'));
    expect(await palimpsestHere(['rewrite', 'caddy', '--to', 'out'], { cwd })).toMatchObject({ code: 3 });
    expect(filesIn(join(cwd, 'out'))).toEqual(before);
    mkdirSync(join(cwd, 'host'));
    writeFileSync(join(cwd, 'host/server.mjs'), 'mine');
    const { code, stderr } = await palimpsestHere(['rewrite', 'node', '--to', 'host'], { cwd });
    expect([code, stderr.includes('(not-ours)'), stderr.includes('host/server.mjs')]).toEqual([3, true, true]);
    expect([...filesIn(join(cwd, 'host'))].map(([path, bytes]) => [path, bytes.toString()])).toEqual([['server.mjs', 'mine']]);
  });

  it('rejects a base URL that hosts parse differently', async () => {
    const folder = temporaryFolder();
    await importHistory(join(folder, 'store.db'), goodHistory());
    await buildTree(join(folder, 'store.db'), join(folder, 'out'), {
      base_url: 'https://example.org/caf%C3%A9',
      page_size: 9,
      account_page_size: 9,
    });
    const { code, stderr } = await palimpsestHere(['rewrite', 'nginx'], { cwd: folder });
    expect([code, stderr.includes('/caf%C3%A9')]).toEqual([2, true]);
  });
});
