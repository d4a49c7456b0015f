import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { palimpsestHere } from '../../support/palimpsest.ts';
import { folderOfFile } from '../../whole/stores.ts';
import { differences, pagesIn } from '../../whole/trees.ts';
import { Growing, publishedIn, publishJson } from '../growing.ts';
import { publishBefore, SlowReaders } from '../slow-readers.ts';

const folder = folderOfFile();
const UNFINISHED = '{"palimpsest":"0.1.0","state":"unfinished"}\n';

/** A tree that another tool copied to a folder, for tests that then let it grow. */
async function copiedTree(
  name: string,
  more: readonly string[] = [],
  records = 100,
): Promise<{ readonly history: Growing; readonly site: string }> {
  const history = await Growing.of(folder, name, { records, accounts: 10 }, more);
  const site = join(folder, `${name}-site`);
  cpSync(history.out, site, { recursive: true });
  return { history, site };
}

describe('a publish over pages that another tool copied', () => {
  it.each([
    ['with their build record', () => {}],
    ['without build record and manifest', (site: string) => rmSync(join(site, 'manifest-sha256.txt'))],
    ['beside an unfinished build record', (site: string) => writeFileSync(join(site, 'build.json'), UNFINISHED)],
  ])('lets no reader miss a record %s', async (name, change) => {
    const { history, site } = await copiedTree(name);
    if (name.startsWith('without')) rmSync(join(site, 'build.json'));
    change(site);
    await history.grow(13);
    const readers = new SlowReaders(site);
    const summary = await publishBefore(readers, site, history.out);
    expect(readers.missed()).toEqual([]);
    expect(summary.wasInterrupted).toBe(false);
    expect(differences(publishedIn(site), history.files())).toEqual([]);
  });

  it('uses their first pages if the build record is newer than the pages', async () => {
    // enough pages for two runs, with as many overlap pages between them as pages that records move
    const { history, site } = await copiedTree('ahead', [], 1_030);
    await history.grow(53);
    cpSync(join(history.out, 'build.json'), join(site, 'build.json'));
    const readers = new SlowReaders(site);
    await publishBefore(readers, site, history.out);
    expect(readers.missed()).toEqual([]);
  });

  it('deletes their compressed files and their additional pages', async () => {
    const { history, site } = await copiedTree('compressed', ['--compress', 'gzip']);
    rmSync(join(site, 'build.json'));
    await history.rebuild(['--compress', 'none']);
    expect(await publishJson(['publish', site, '--out', history.out, '--max-delete', '100%', '--allow-other-files'])).toMatchObject({
      resumed: false,
    });
    expect(existsSync(join(site, 'rest/data/index.json.gz'))).toBe(false);
    const smaller = await Growing.of(folder, 'smaller', { records: 50, accounts: 10 });
    rmSync(join(site, 'build.json'));
    rmSync(join(site, 'publish.json'));
    expect(await refusal(site, smaller.out)).toMatchObject({ code: 'too-many-deletes' });
    expect(await refusal(site, smaller.out, ['--max-delete', '100%'])).toMatchObject({ code: 'reader-gaps' });
  });

  it('needs no overlap pages if the target has only one page, of any page size', async () => {
    const history = await Growing.of(folder, 'one page', { records: 4, accounts: 2 });
    const site = join(folder, 'one page-site');
    cpSync(join(history.out, 'rest'), join(site, 'rest'), { recursive: true });
    await history.grow(3);
    expect(await publishJson(['publish', site, '--out', history.out, '--allow-other-files'])).toMatchObject({
      done: { overlaps: 0 },
      reader_gaps: [],
    });
  });
});

describe('a file of a tree’s name that palimpsest did not make', () => {
  let history: Growing;
  beforeAll(async () => {
    history = await Growing.of(folder, 'small', { records: 10, accounts: 2 });
  });

  it.each([
    ['a page of HTML', 'rest/data/index.json', '<!doctype html>'],
    ['a page with a next link and no results', 'rest/account/index.json', '{"count":2,"next":"?page=2","previous":null,"results":[]}'],
    ['another tool’s record', 'build.json', '{"my":"project"}'],
    ['a manifest of other files', 'manifest-sha256.txt', `${'ab'.repeat(32)}  data/a.txt\n`],
  ])('is rejected: %s', async (name, path, text) => {
    const site = join(folder, `${name}-site`);
    if (path.startsWith('rest/')) cpSync(join(history.out, 'rest'), join(site, 'rest'), { recursive: true });
    else mkdirSync(site);
    writeFileSync(join(site, path), text);
    const before = pagesIn(site);
    expect(await refusal(site, history.out)).toMatchObject({ code: 'not-ours', file: path });
    expect(differences(pagesIn(site), before)).toEqual([]);
  });

  it('does not include other files of a web root', async () => {
    const site = join(folder, 'web root');
    cpSync(history.out, site, { recursive: true });
    writeFileSync(join(site, 'favicon.ico'), 'icon');
    await publishJson(['publish', site, '--out', history.out]);
    expect(readFileSync(join(site, 'favicon.ico'), 'utf8')).toBe('icon');
  });
});

async function refusal(site: string, out: string, more: readonly string[] = []): Promise<unknown> {
  const { code, stdout } = await palimpsestHere(['publish', site, '--out', out, '--allow-other-files', ...more, '--json']);
  expect(code).toBe(3);
  return JSON.parse(stdout).error;
}
