import { spawn, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { TABLES } from '../../src/export/tables.ts';
import { Connection } from '../../src/store/database/connection.ts';
import { build } from '../../src/tree/build/build.ts';
import { encodeHeader } from '../../src/zip/local-header.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { BIN, NEW_TARGET, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { isOne } from '../support/proof.ts';
import { requirement } from '../support/requirement.ts';
import { shell } from '../support/shell.ts';
import { goodHistory, importHistory, SITE } from '../verify/good-tree.ts';
import { folderOfFile } from '../whole/stores.ts';
import { filesInZip, writeZip } from '../zip/zips.ts';
import { blocksOf, section } from './blocks.ts';
import { machine } from './machine.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const needs = (program: string) => requirement(program, () => spawnSync(program, ['--version']).status === 0).skip;

/** A new folder with the data of the checkout. */
function withData(): string {
  const folder = temporaryFolder();
  cpSync(join(ROOT, 'data'), join(folder, 'data'), { recursive: true });
  return folder;
}

/** A page of the documentation, and a run of its commands one after the other. */
const PAGES: readonly (readonly [page: string, run: () => Promise<void>])[] = [
  ['README.md', readmeWorks],
  ['docs/tutorial.md', tutorialWorks],
  ['docs/versions.md', versionsWork],
  ['docs/offline.md', offlineWorks],
  ['docs/removal.md and docs/backup.md', removalWorks],
];

it.each(PAGES)('%s: its commands work one after the other', (_, run) => run());

async function readmeWorks(): Promise<void> {
  const lines = [...section(read('README.md'), 'Use your own data').matchAll(/^npx palimpsest ([^#\n]+)/gm)].map((match) =>
    (match[1] ?? '').trim().split(/\s+/),
  );
  const cwd = withData();
  expect(lines.map((line) => line[0])).toEqual(['import', 'build', 'verify', 'serve', 'observe', 'history']);
  const [serving, ...ending] = lines.toSorted((a, b) => Number(b[0] === 'serve') - Number(a[0] === 'serve'));
  for (const line of ending) expect(await palimpsestHere(line, { cwd }), line.join(' ')).toMatchObject({ code: 0 });
  const served = spawn(process.execPath, [BIN, ...(serving ?? []), '--port', '0', '--json'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const line = await firstLine(served.stdout);
    const page = await fetch(`${JSON.parse(line).url}/rest/data/?page=2`);
    expect(await page.json()).toMatchObject({ count: 302 });
  } finally {
    served.kill('SIGTERM');
  }
  expect(await new Promise((resolve) => served.once('exit', resolve))).toBe(0);
}

async function firstLine(stream: AsyncIterable<Buffer | string>): Promise<string> {
  let text = '';
  for await (const piece of stream) {
    text += String(piece);
    if (text.includes('\n')) break;
  }
  return text;
}

async function tutorialWorks(): Promise<void> {
  const folder = withData();
  const blocks = [...read('docs/tutorial.md').matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
  // a server does not end, and the packages are installed
  const script = blocks.filter((block) => !/^(npm ci|npx palimpsest serve|curl )/.test(block)).join('');
  expect(script.match(/^npx palimpsest \w+/gm)).toEqual(
    ['import', 'build', 'verify', 'observe', 'history', 'build', 'verify'].map((command) => `npx palimpsest ${command}`),
  );
  const { stdout, stderr, status } = await shell(script, folder, { PATH: machine(folder) });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('{+ and tunnels+}');
}

async function versionsWork(): Promise<void> {
  const blocks = blocksOf('versions.md');
  const commandsBelow = (heading: string) => blocks(heading, 'sh').join('');
  const publish = commandsBelow('Publish a site');
  const cwd = withData();
  // folders stand for the buckets
  const run = (commands: string) => shell(commands.replaceAll('s3://', 'targets/'), cwd, { PATH: machine(cwd) });
  const live = () => JSON.parse(readFileSync(join(cwd, 'targets/bucket/site/head.json'), 'utf8')).versions;
  expect(await run(publish)).toMatchObject({ status: 0, stderr: expect.stringMatching(NEW_TARGET) });
  expect(live()).toMatchObject([{ number: 1 }]);
  expect(existsSync(join(cwd, 'host'))).toBe(true);
  // another night: new records, and the same build and publish
  const again = publish.split('\n').filter((line) => / (build|publish) /.test(line));
  expect(await run(['palimpsest observe data/sample-snapshots.ndjson', ...again].join('\n'))).toMatchObject({ status: 0, stderr: '' });
  expect(live()).toMatchObject([{ number: 1 }, { number: 2 }]);
  expect(await run(commandsBelow('Go back, and delete old versions'))).toMatchObject({ status: 0, stderr: '' });
  // the rollback has number 3, and the ZIP is published again under the next one
  expect(live()).toMatchObject([{ number: 1 }, { number: 4 }]);
  // a server does not end
  const copying = commandsBelow('Copy a site with its versions').replace(/^palimpsest serve .*\n/m, '');
  expect(await run(copying.replace('rclone copy remote:', 'cp -R targets/'))).toMatchObject({ status: 0, stderr: '' });
}

async function offlineWorks(): Promise<void> {
  const cwd = withData();
  const stick = temporaryFolder();
  const script = [...read('docs/offline.md').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block).join('');
  const { stdout, stderr, status } = await shell(script, cwd, { PATH: machine(cwd), STICK: stick });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^[0-9a-f]{64} {2}out\/manifest-sha256\.txt$/m);
  expect(existsSync(join(stick, 'history/index.html'))).toBe(true);
  expect(filesInZip(join(stick, 'history.zip')).get('index.html')).toEqual(readFileSync(join(stick, 'history/index.html')));
}

async function removalWorks(): Promise<void> {
  const blocks = blocksOf('removal.md');
  const cwd = withData();
  // folders stand for the buckets
  const run = (commands: string) => shell(commands.replaceAll('s3://', 'targets/'), cwd, { PATH: machine(cwd) });
  const observe = 'palimpsest observe data/sample-snapshots.ndjson';
  const before = [
    'palimpsest import data/sample/saved-pages',
    observe,
    'palimpsest build --base-url https://history.example.org --html',
    'palimpsest publish s3://bucket/prefix',
  ];
  expect(await run(before.join('\n'))).toMatchObject({ status: 0 });
  const found = () =>
    [...filesIn(cwd)]
      .filter(([path, bytes]) => /^(data\/palimpsest\.db$|out\/|targets\/)/.test(path) && /nina_k/i.test(bytes.toString('latin1')))
      .map(([path]) => path.split('/')[0]);
  expect(new Set(found())).toEqual(new Set(['data', 'out', 'targets']));
  const removal = ['Remove it from the store', 'Publish the removal', 'Prove it'].flatMap((heading) => blocks(heading, 'sh'));
  const { status, stdout } = await run(removal.join(''));
  expect(status).toBe(0);
  expect(stdout).toContain('"erased":true');
  expect(stdout).toMatch(/\nnothing found\n$/);
  expect(found()).toEqual([]);
  expect(await run(observe)).toMatchObject({ status: 0, stdout: expect.stringContaining('excluded  4 snapshots') });
  const backups = await run(blocksOf('backup.md')('Push and pull', 'sh').join(''));
  expect(backups).toMatchObject({ status: 0, stderr: expect.stringMatching(NEW_TARGET) });
  expect(readFileSync(join(cwd, 'copy.db'))).toEqual(readFileSync(join(cwd, 'data/palimpsest.db')));
  const checked = await run(blocks('Write a receipt', 'sh').join(''));
  expect(checked).toMatchObject({ status: 0, stdout: expect.stringContaining('0 places have it') });
  for (const lost of ['data', 'out']) rmSync(join(cwd, lost), { recursive: true });
  const restored = await run(blocksOf('backup.md')('If the server is gone', 'sh').join(''));
  expect(restored).toMatchObject({ status: 0, stdout: expect.stringContaining('targets/bucket/prefix is up to date') });
}

describe('docs/sql.md', () => {
  const document = read('docs/sql.md');
  const store = join(folderOfFile(), 'store.db');
  const questions = [...document.matchAll(/^### (.*)\n\n```sql\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```$/gm)];

  beforeAll(async () => {
    for (const [, verb = '', source = ''] of document.matchAll(/^ {4}palimpsest (import|observe) (\S+)$/gm)) {
      await palimpsestJson([verb, join(ROOT, source), '--store', store]);
    }
  });

  it.skipIf(needs('sqlite3'))('has five questions with the answers of the sqlite3 shell', () => {
    expect(questions).toHaveLength(5);
    const args = [
      '-readonly',
      '-header',
      '-separator',
      ' | ',
      store,
      ...questions.flatMap(([, question, sql = '']) => [`.print '${question}'`, sql]),
    ];
    const { status, stdout, stderr } = spawnSync('sqlite3', args, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe(questions.map(([, question, , answer]) => `${question}\n${answer}`).join(''));
  });

  it('lists the columns of the views in their order, and the export has the same and two more of records', () => {
    const database = new Connection(store, { readonly: true });
    for (const view of ['records', 'accounts'] as const) {
      const start = document.indexOf(`\n\`${view}\` has one row`);
      const [table = ''] = /(?<=\n\n)\| column [\s\S]*?\n\n/.exec(document.slice(start)) ?? [];
      const listed = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
      const columns = database.prepare<[], string>(`SELECT name FROM pragma_table_info('${view}')`).pluck().all();
      expect(listed).toEqual(columns);
      expect(TABLES[view].columns.map(({ name }) => name)).toEqual([...columns, ...(view === 'records' ? ['before', 'date'] : [])]);
    }
    database.close();
  });
});

describe.skipIf(needs('python3'))('the program in docs/tree.md', () => {
  const [program = ''] = blocksOf('tree.md')('The ZIP of a tree', 'python');
  const run = (zip: string, path: string) => spawnSync('python3', ['-c', program, zip, path]);

  it('has at most 15 lines, and reads a file from the ZIP of a tree', async () => {
    expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
    const folder = temporaryFolder();
    const [store, out] = [join(folder, 'store.db'), join(folder, 'history.zip')];
    await importHistory(store, goodHistory());
    await build(store, { out, site: SITE, html: true });
    const path = 'rest/data/page/2/index.json';
    const { status, stdout } = run(out, path);
    expect([status, stdout.toString()]).toEqual([0, filesInZip(out).get(path)?.toString()]);
    expect(run(out, 'rest/data/page/99/index.json').status).not.toBe(0);
  });

  it.skipIf(isOne)('reads a file from a ZIP with the records of ZIP64', () => {
    const zip = writeZip(temporaryFolder(), manyMembers(66_000));
    expect(run(zip, 'file-65999').stdout.toString()).toBe('the last file');
  });
});

function* manyMembers(count: number): Generator<readonly [member: Buffer, digest: string]> {
  const one = (text: string) => ({ packed: deflateRawSync(text), crc: crc32(text), size: text.length });
  const [other, last] = [one('another file'), one('the last file')];
  for (let index = 0; index < count; index += 1) {
    const { packed, crc, size } = index === count - 1 ? last : other;
    const header = encodeHeader({ path: `file-${index}`, method: 8, crc, packed: packed.length, size });
    yield [Buffer.concat([header, packed]), hash('sha256', '')];
  }
}
