import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { goodHistory, importHistory } from '../verify/good-tree.ts';

const PRESS = { publisher: 'Archive', title: 'Press' };

/** Returns functions that build the trees of a store, and check them. */
async function workplace() {
  const cwd = temporaryFolder();
  await importHistory(join(cwd, 'data/palimpsest.db'), goodHistory(20));
  const write = (site: unknown) => writeFileSync(join(cwd, 'site.json'), typeof site === 'string' ? site : JSON.stringify(site));
  const build = (...args: string[]) => palimpsestJson(['build', '--base-url', 'https://history.example', ...args], { cwd });
  const refused = async (...args: string[]) => {
    const { code, stdout } = await palimpsestHere(['build', ...args, '--json'], { cwd });
    return { exit: code, ...JSON.parse(stdout).error };
  };
  const titles = (out: string) =>
    [...filesIn(join(cwd, out))].filter(([path, bytes]) => path.endsWith('.html') && String(bytes).includes(' · Press</title>')).length;
  return { cwd, write, build, refused, titles };
}

describe('build --site', () => {
  it.each<[name: string, site: unknown, error: object]>([
    ['no JSON', '{', { code: 'bad-json', expected: 'JSON, or --site none', hint: expect.stringMatching(/^check the path and the file/) }],
    [
      'a field twice',
      '{"title":"first","title":"second","publisher":"p"}',
      { code: 'bad-json', field: 'title', expected: 'each field once, or --site none', found: 'the field "title" twice in one object' },
    ],
    ['another value', [], { code: 'bad-field', expected: 'an object', found: 'an array of 0' }],
    ['no publisher', { title: 'a' }, { code: 'bad-field', field: 'publisher', found: 'no such field' }],
    ['a title of two lines', { ...PRESS, title: 'a\nb' }, { code: 'bad-field', field: 'title', found: '"a\\nb"' }],
    ['a contact that is no address', { ...PRESS, contact: 'me' }, { code: 'bad-field', field: 'contact', found: '"me"' }],
    ['an image in a file', { ...PRESS, image: 'file:///a.png' }, { code: 'bad-field', field: 'image' }],
    ['no language', { ...PRESS, language: 'English!' }, { code: 'bad-field', field: 'language' }],
    ['an object for a text', { ...PRESS, license: { name: 'CC0' } }, { code: 'bad-field', field: 'license' }],
    ['an unknown field', { ...PRESS, publishers: [] }, { code: 'bad-field', field: 'publishers', hint: 'did you mean publisher?' }],
  ])('refuses a file with %s', async (_, site, error) => {
    const { write, refused } = await workplace();
    write(site);
    expect(await refused('--html', '--site', 'site.json')).toMatchObject({ exit: 1, file: 'site.json', ...error });
  });

  it('refuses a file that does not exist, a folder, and --noindex without HTML pages', async () => {
    const { refused } = await workplace();
    for (const file of ['site.json', 'data'])
      expect(await refused('--html', '--site', file)).toMatchObject({
        exit: 1,
        code: 'no-source',
        file,
        hint: expect.stringMatching(/^check/),
      });
    for (const field of ['--noindex', '--account-feeds']) {
      const message = expect.stringContaining(`${field} needs HTML`);
      expect(await refused(field)).toMatchObject({ exit: 2, code: 'usage', field, message });
    }
  });

  it('is kept by later builds, until another file or none is given', async () => {
    const out = 'out';
    const { cwd, write, build } = await workplace();
    write(PRESS);
    const html = Number((await build('--html', '--out', out, '--site', 'site.json'))['written']);
    expect(html).toBeGreaterThan(20);
    expect(await build('--out', out)).toMatchObject({ written: 0, build: { about: PRESS } });
    // another order of the same fields
    write({ title: 'Press', publisher: 'Archive' });
    expect(await build('--out', out, '--site', 'site.json')).toMatchObject({ written: 0 });
    await importHistory(join(cwd, 'data/palimpsest.db'), goodHistory(21));
    await build('--out', out);
    expect((await palimpsestHere(['verify', '--out', out], { cwd })).code).toBe(0);
    write({ ...PRESS, contact: 'office@archive.example' });
    await build('--out', out, '--site', 'site.json', '--noindex', '--account-feeds');
    const kept = { about: { contact: 'office@archive.example' }, noindex: true, account_feeds: true };
    expect(await build('--out', out)).toMatchObject({ written: 0, build: kept });
    expect((await palimpsestHere(['verify', '--out', out], { cwd })).code).toBe(0);
    const { build: record } = await build('--out', out, '--site', 'none', '--no-noindex', '--no-account-feeds');
    expect(record).not.toHaveProperty('about');
    for (const name of ['noindex', 'account_feeds']) expect(record).not.toHaveProperty(name);
    await build('--out', 'plain', '--html');
    expect(filesIn(join(cwd, out))).toEqual(filesIn(join(cwd, 'plain')));
  });

  it('signs each page, and is kept if a build is interrupted', async () => {
    const { cwd, write, build, titles } = await workplace();
    write(PRESS);
    await build('--html');
    expect(titles('out')).toBe(0);
    await build('--site', 'site.json', '--account-feeds');
    const pages = titles('out');
    expect(pages).toBe([...filesIn(join(cwd, 'out')).keys()].filter((path) => path.endsWith('.html')).length);
    const record = join(cwd, 'out/build.json');
    const files = filesIn(join(cwd, 'out'));
    const { palimpsest, base_url, about, account_feeds, browse_files } = JSON.parse(readFileSync(record, 'utf8'));
    const begun = { palimpsest, state: 'unfinished', base_url, browse_files, about, account_feeds, store: '' };
    writeFileSync(record, JSON.stringify(begun));
    await build('--replace-tree');
    expect(filesIn(join(cwd, 'out'))).toEqual(files);
  });
});
