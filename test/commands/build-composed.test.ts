import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsest, palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';

const SAMPLE = fileURLToPath(new URL('../../data/sample', import.meta.url));

const NEW_ACCOUNT = JSON.stringify({
  screen_name: 'newcomer',
  account_creation_date: null,
  profile_image_url: '',
  data: [],
  data_page_count: 0,
  display_name: '',
  website: null,
  location: '',
  bio: '',
});

async function storeIn(folder: string): Promise<readonly string[]> {
  const store = join(folder, 'store.db');
  await palimpsestJson(['import', SAMPLE, '--store', store]);
  return ['--store', store, '--out', join(folder, 'out'), '--base-url', 'https://history.example'];
}

describe('palimpsest build --layout composed', () => {
  it('writes chunks that are named by their SHA-256, and head.json', async () => {
    const folder = temporaryFolder();
    const args = await storeIn(folder);
    const summary = await palimpsestJson(['build', '--layout', 'composed', ...args, '--built-at', '2026-11-22T03:00:00Z']);
    const files = filesIn(join(folder, 'out'));
    expect([...files.keys()].filter((path) => !path.startsWith('chunks/'))).toEqual(['head.json']);
    for (const [path, bytes] of files) {
      if (path !== 'head.json')
        expect(path.slice('chunks/'.length).replace('/', '')).toBe(createHash('sha256').update(bytes).digest('hex'));
    }
    expect(summary).toMatchObject({ written: files.size - 1, removed: 0, build: { generation: 1, layout: 'composed', generations: 1 } });
    const again = await palimpsestJson(['build', '--layout', 'composed', ...args]);
    expect(again).toMatchObject({ written: 0, removed: 0, build: { generation: 1 } });
    expect(filesIn(join(folder, 'out'))).toEqual(files);
  });

  it('keeps the base URL of the tree, and the environment chooses the layout', async () => {
    const folder = temporaryFolder();
    const args = await storeIn(folder);
    await palimpsestJson(['build', '--layout', 'composed', ...args]);
    const summary = await palimpsestJson(['build', ...args.slice(0, 4)], { env: { PALIMPSEST_LAYOUT: 'composed' } });
    expect(summary).toMatchObject({ base_url_from: 'tree', build: { base_url: 'https://history.example', generation: 1 }, written: 0 });
  });

  it.each([
    ['composed', 'head.json'],
    ['static', 'build.json'],
  ])('keeps the %s layout of the tree if none is given, and an option or a variable has priority', async (layout, record) => {
    const folder = temporaryFolder();
    const args = await storeIn(folder);
    const out = join(folder, 'out');
    const other = layout === 'static' ? 'composed' : 'static';
    await palimpsestJson(['build', '--layout', layout, ...args]);
    await palimpsestJson(['import', '-', '--store', join(folder, 'store.db')], { input: NEW_ACCOUNT });
    expect(await palimpsestJson(['build', ...args.slice(0, 4)])).toMatchObject({ base_url_from: 'tree' });
    const files = filesIn(out);
    expect([...files.keys()].filter((path) => path === 'head.json' || path === 'build.json')).toEqual([record]);
    expect([...files.values()].some((bytes) => bytes.includes('"newcomer"'))).toBe(true);
    for (const [options, env] of [
      [['--layout', other], { PALIMPSEST_LAYOUT: layout }],
      [[], { PALIMPSEST_LAYOUT: other }],
    ] as const) {
      const { code, stderr } = await palimpsest(['build', ...options, ...args], { env });
      expect([code, stderr]).toEqual([3, expect.stringContaining(`has the ${layout} layout`)]);
    }
    expect(filesIn(out)).toEqual(files);
  });

  it.each([
    ['static', 'composed'],
    ['composed', 'static'],
  ])('refuses a tree of the %s layout when it should write the %s one, and changes nothing', async (first, second) => {
    const folder = temporaryFolder();
    const args = await storeIn(folder);
    await palimpsestJson(['build', '--layout', first, ...args]);
    const before = filesIn(join(folder, 'out'));
    const refused = await palimpsest(['build', '--layout', second, ...args]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(`has the ${first} layout`);
    expect(filesIn(join(folder, 'out'))).toEqual(before);
  });

  it.each([
    [['--layout', 'composed', '--compress', 'gzip'], '--compress cannot be used with the composed layout'],
    [['--layout', 'composed', '--html'], '--html cannot be used with the composed layout'],
    [['--built-at', '2026-11-22T03:00:00Z'], '--built-at cannot be used with the static layout'],
    [['--layout', 'zip'], 'static, composed'],
  ])('refuses %j', async (options, message) => {
    const { code, stderr } = await palimpsest(['build', ...options, '--out', join(temporaryFolder(), 'out')]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('is not read by archive, which says so', async () => {
    const folder = temporaryFolder();
    await palimpsestJson(['build', '--layout', 'composed', ...(await storeIn(folder))]);
    const { code, stderr } = await palimpsest(['archive', 'wacz', '--to', 'site.wacz', '--out', join(folder, 'out')], { cwd: folder });
    expect(stderr).toContain('has the composed layout');
    expect(code).toBe(3);
  });

  it('deletes earlier generations and their chunks after an account was removed', async () => {
    const folder = temporaryFolder();
    const args = await storeIn(folder);
    const out = join(folder, 'out');
    await palimpsestJson(['build', '--layout', 'composed', ...args]);
    const name = 'grove_pine';
    const has = () => [...filesIn(out).values()].some((bytes) => bytes.includes(`"${name}"`));
    expect(has()).toBe(true);
    await palimpsestJson(['remove', name, '--store', join(folder, 'store.db'), '--yes']);
    const summary = await palimpsestJson(['build', '--layout', 'composed', ...args]);
    expect(summary).toMatchObject({ dropped_generations: 1, drop_reason: 'removed-account', build: { generation: 2, generations: 1 } });
    expect(has()).toBe(false);
  });

  it('refuses a tree with a damaged log, and begins a new log with --repair', async () => {
    const folder = temporaryFolder();
    const args = await storeIn(folder);
    const out = join(folder, 'out');
    await palimpsestJson(['build', '--layout', 'composed', ...args]);
    const log = [...filesIn(out)].find(([path, bytes]) => path !== 'head.json' && bytes.includes('"generation":'))?.[0] ?? '';
    rmSync(join(out, log));
    await palimpsestJson(['import', '-', '--store', join(folder, 'store.db')], { input: NEW_ACCOUNT });
    const before = filesIn(out);
    const refused = await palimpsest(['build', '--layout', 'composed', ...args]);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('the log of generations');
    expect(filesIn(out)).toEqual(before);
    const summary = await palimpsestJson(['build', '--layout', 'composed', '--repair', ...args]);
    expect(summary).toMatchObject({
      dropped_generations: 1,
      drop_reason: 'damaged-log',
      removed: 0,
      build: { generation: 2, generations: 1 },
    });
    for (const path of before.keys()) expect(filesIn(out).has(path)).toBe(true);
  });

  it('completes a first build that was killed before it wrote head.json', async () => {
    const folder = temporaryFolder();
    const args = await storeIn(folder);
    const [out, built] = [join(folder, 'out'), ['--built-at', '2026-11-22T03:00:00Z']];
    await palimpsestJson(['build', '--layout', 'composed', ...args, ...built]);
    const files = filesIn(out);
    rmSync(join(out, 'head.json'));
    for (const command of [
      ['serve', '--port', '0'],
      ['publish', join(folder, 'target')],
      ['rewrite', 'node'],
    ])
      expect(await palimpsestHere([...command, '--out', out])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/no finished tree.*build .*--layout composed`/s),
      });
    expect(await palimpsestHere(['build', '--layout', 'static', ...args])).toMatchObject({ code: 3 });
    await palimpsestJson(['build', ...args, ...built]);
    expect(filesIn(out)).toEqual(files);
  });

  it('refuses a tree with an empty head.json, and begins a new log with --repair', async () => {
    const folder = temporaryFolder();
    const args = await storeIn(folder);
    const out = join(folder, 'out');
    await palimpsestJson(['build', '--layout', 'composed', ...args]);
    writeFileSync(join(out, 'head.json'), '');
    const before = filesIn(out);
    for (const command of [
      ['serve', '--port', '0', '--out', out],
      ['build', ...args],
    ])
      expect(await palimpsestHere(command)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/is damaged.*--layout composed --repair`/s),
      });
    // the links would lead elsewhere
    const withoutBaseUrl = await palimpsestHere(['build', '--repair', ...args.slice(0, 4)]);
    expect(withoutBaseUrl).toMatchObject({ code: 2, stderr: expect.stringContaining('because head.json has none') });
    expect(filesIn(out)).toEqual(before);
    const summary = await palimpsestJson(['build', '--repair', ...args]);
    expect(summary).toMatchObject({ removed: 0, build: { generation: 1, layout: 'composed' } });
    for (const path of before.keys()) expect(filesIn(out).has(path)).toBe(true);
  });

  it.each<[string, (out: string) => void]>([
    ['another file', (out) => writeFileSync(join(out, 'notes.txt'), 'mine')],
    ['another file among the chunks', (out) => writeFileSync(join(out, 'chunks/notes.txt'), 'mine')],
    ['another file among the chunks of a folder', (out) => writeFileSync(join(out, 'chunks/ab/notes.txt'), 'mine')],
    ['a head.json of another program', (out) => writeFileSync(join(out, 'head.json'), '{"title":"mine"}')],
    ['a folder as head.json', (out) => mkdirSync(join(out, 'head.json'))],
    ['a link as head.json', (out) => symlinkSync('/nowhere', join(out, 'head.json'))],
    ['no chunk', (out) => rmSync(join(out, 'chunks/ab', 'c'.repeat(62)))],
  ])('refuses a folder without its head.json, with chunks and %s, and changes nothing', async (_, change) => {
    const folder = temporaryFolder();
    const args = await storeIn(folder);
    const out = join(folder, 'out');
    mkdirSync(join(out, 'chunks/ab'), { recursive: true });
    writeFileSync(join(out, 'chunks/ab', 'c'.repeat(62)), 'mine');
    change(out);
    const before = filesIn(out);
    for (const options of [[], ['--repair']]) {
      const { code, stderr } = await palimpsestHere(['build', '--layout', 'composed', ...options, ...args]);
      expect([code, stderr]).toEqual([3, expect.stringContaining('was not made by palimpsest')]);
    }
    expect(filesIn(out)).toEqual(before);
  });

  it('restores chunks that were damaged or deleted, with --repair', async () => {
    const folder = temporaryFolder();
    const args = await storeIn(folder);
    const out = join(folder, 'out');
    await palimpsestJson(['build', '--layout', 'composed', ...args, '--built-at', '2026-11-22T03:00:00Z']);
    const files = filesIn(out);
    const chunks = [...files.keys()].filter((path) => path.startsWith('chunks/') && files.get(path)?.includes('"generation"') === false);
    const [first = '', second = ''] = chunks;
    rmSync(join(out, first));
    writeFileSync(join(out, second), Buffer.alloc(files.get(second)?.length ?? 0));
    await palimpsestJson(['build', '--layout', 'composed', ...args, '--repair']);
    for (const [path, bytes] of filesIn(out)) expect(files.get(path)?.equals(bytes), path).toBe(true);
    expect(readFileSync(join(out, 'head.json'))).toEqual(files.get('head.json'));
  });
});
