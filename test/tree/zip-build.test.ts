import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lock } from '../../src/store/database/lock-file.ts';
import { removeAccounts } from '../../src/store/exclusions/remove.ts';
import { type BuildOptions, build } from '../../src/tree/build/build.ts';
import { verify } from '../../src/verify/verify.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';
import { histories } from '../support/histories.ts';
import { palimpsestHere, palimpsestJson } from '../support/palimpsest.ts';
import { times } from '../support/proof.ts';
import { observe } from '../support/snapshots.ts';
import { flipByte, flipByteAt } from '../verify/damaged-zip.ts';
import { goodHistory, importHistory, SITE } from '../verify/good-tree.ts';
import { filesInZip } from '../zip/zips.ts';

/** A store, and functions that build its tree into a ZIP and into a folder. */
async function workplace(records = 60, html = true) {
  const folder = temporaryFolder();
  const store = join(folder, 'store.db');
  await importHistory(store, goodHistory(records));
  const at = (path: string) => join(folder, path);
  const into = (name: string, options: Partial<BuildOptions> = {}) => build(store, { out: at(name), site: SITE, html, ...options });
  return { folder, store, at, into };
}

/** Nights in which some of four accounts are seen, so that accounts vanish for more than 7 days and return. */
const NIGHTS = fc.array(
  fc
    .tuple(fc.integer({ min: 10, max: 31 }), fc.subarray(['vera', 'walt', 'rosa', 'yuri'], { minLength: 1 }))
    .map(([day, seen]) => seen.map((screen_name) => ({ observed_at: `2029-12-${day}T00:00:00Z`, screen_name, bio: 'still here' }))),
  { maxLength: 5 },
);

const removal = { now: '2030-01-01T00:00:00Z', allowUnknown: false, isDryRun: false };

describe('a build into a ZIP', () => {
  it.each([true, false])('has the files of a build into a folder in the order of the manifest, with browse files: %s', async (html) => {
    const { folder, at, into } = await workplace(60, html);
    const [folderBuild, zipBuild] = [await into('out'), await into('history.zip')];
    const files = filesInZip(at('history.zip'));
    expect(files).toEqual(filesIn(at('out')));
    expect(zipBuild).toEqual(folderBuild);
    const listed = String(files.get('manifest-sha256.txt')).match(/\S+$/gm);
    expect([...files.keys()]).toEqual([...(listed ?? []), 'manifest-sha256.txt', 'build.json']);
    expect(readdirSync(folder).toSorted()).toEqual(['history.zip', 'out', 'store.db']);
  });

  it('of a store without records has the files of a build into a folder', async () => {
    const { at, into } = await workplace(0);
    await into('out');
    await into('history.zip');
    expect(filesInZip(at('history.zip'))).toEqual(filesIn(at('out')));
  });

  it('has, after any imports, nights of observations and removals, the bytes of a first build, and the files of a folder', async () => {
    const folder = temporaryFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(histories(25), { minLength: 1, maxLength: 3 }),
        NIGHTS,
        fc.boolean(),
        fc.nat(),
        async (batches, nights, html, chosen) => {
          fc.pre(batches[0] !== undefined && batches[0].records.length + batches[0].accounts.length > 0);
          run += 1;
          const at = (name: string) => join(folder, `${run}`, name);
          mkdirSync(at('.'), { recursive: true });
          const site = { base_url: 'https://history.example', page_size: 4, account_page_size: 2 };
          const buildBoth = async (hasBrowse: boolean) => {
            const [zip, tree] = ['history.zip', 'out'].map((name) => () => build(at('store.db'), { site, html: hasBrowse, out: at(name) }));
            expect(await zip?.()).toEqual(await tree?.());
            expect(filesInZip(at('history.zip'))).toEqual(filesIn(at('out')));
          };
          for (const [step, batch] of batches.entries()) {
            // histories of one store must not contradict each other: each has other accounts and ids
            await importHistory(at('store.db'), batch).catch(() => {});
            await buildBoth(html !== (step === 1));
          }
          for (const night of nights) {
            await observe(at('store.db'), night, { onReject: () => {} });
            await buildBoth(html);
          }
          const observed = nights.flatMap((night) => night.map(({ screen_name }) => screen_name));
          const names = [...observed, ...batches.flatMap(({ accounts }) => accounts.map(({ screen_name }) => screen_name))];
          const removed = names[chosen % Math.max(1, names.length)];
          if (removed !== undefined) await removeAccounts(at('store.db'), [removed], { ...removal, allowUnknown: true });
          await buildBoth(html);
          expect((await verify({ out: at('out'), store: at('store.db') })).violations).toEqual([]);
          await build(at('store.db'), { site, html, out: at('fresh.zip') });
          expect(readFileSync(at('history.zip'))).toEqual(readFileSync(at('fresh.zip')));
        },
      ),
      { numRuns: times('generated builds', 2, 300) },
    );
  });

  it('does not touch the file if nothing changed', async () => {
    const { at, into } = await workplace();
    const first = await into('history.zip');
    const before = statSync(at('history.zip'), { bigint: true });
    expect(await into('history.zip')).toEqual({ ...first, written: 0, unchanged: first.written });
    const { ino, mtimeNs, ctimeNs } = statSync(at('history.zip'), { bigint: true });
    expect([ino, mtimeNs, ctimeNs]).toEqual([before.ino, before.mtimeNs, before.ctimeNs]);
  });

  it('copies what did not change, and has no byte of what was removed', async () => {
    const { store, at, into } = await workplace();
    await into('history.zip');
    const names = () => [...filesInZip(at('history.zip'))].filter(([path, bytes]) => /\bdee\b/.test(path + bytes));
    expect(names().length).toBeGreaterThan(5);
    await removeAccounts(store, ['dee'], removal);
    const { written, unchanged, removedBrowseFiles } = await into('history.zip');
    expect([written > 0, unchanged > 0, removedBrowseFiles > 0]).toEqual([true, true, true]);
    expect(names()).toEqual([]);
    expect(readFileSync(at('history.zip')).includes('dee')).toBe(false);
    await into('fresh.zip');
    expect(readFileSync(at('history.zip'))).toEqual(readFileSync(at('fresh.zip')));
  });

  it('is refused where another file is and with --compress, and takes an empty file, a link and a new folder', async () => {
    const { at, into } = await workplace();
    await expect(into('a.zip', { compress: ['gzip'] })).rejects.toMatchObject({ code: 'usage' });
    expect(existsSync(at('a.zip'))).toBe(false);
    writeFileSync(at('other.zip'), 'PK\u0003\u0004 something else');
    await expect(into('other.zip')).rejects.toMatchObject({ code: 'not-ours' });
    expect(readFileSync(at('other.zip'), 'utf8')).toBe('PK\u0003\u0004 something else');
    writeFileSync(at('empty'), '');
    await into('empty');
    await into('a/b/history.zip');
    expect(readFileSync(at('empty'))).toEqual(readFileSync(at('a/b/history.zip')));
    truncateSync(at('empty'));
    symlinkSync('empty', at('link.zip'));
    await into('link.zip');
    expect(readFileSync(at('empty'))).toEqual(readFileSync(at('a/b/history.zip')));
  });

  it('is refused while another build has the lock, and removes what a killed build left', async () => {
    const { folder, at, into } = await workplace();
    await into('history.zip');
    mkdirSync(at('.history.zip.palimpsest/stage'), { recursive: true });
    writeFileSync(at('.history.zip.palimpsest/stage/tree.zip'), 'half');
    const held = lock(at('.history.zip.palimpsest/lock'));
    await expect(into('history.zip')).rejects.toMatchObject({ code: 'tree-busy' });
    held?.release();
    await into('history.zip');
    expect(readdirSync(folder).toSorted()).toEqual(['history.zip', 'store.db']);
  });

  it('renders everything again if the end of the ZIP is damaged, and then needs the base URL', async () => {
    const { store, at, into } = await workplace();
    await into('history.zip');
    const good = readFileSync(at('history.zip'));
    truncateSync(at('history.zip'), good.length - 3);
    const args = ['build', '--store', store, '--out', at('history.zip'), '--page-size', String(SITE.page_size), '--json'];
    const refused = await palimpsestHere(args);
    expect([refused.code, JSON.parse(refused.stdout).error.field]).toEqual([2, '--base-url']);
    await into('history.zip');
    expect(readFileSync(at('history.zip'))).toEqual(good);
  });

  it('is refused if a member that did not change is damaged at its start, and --repair renders it again', async () => {
    const { store, at, into } = await workplace();
    await into('history.zip');
    const style = [...filesInZip(at('history.zip')).keys()].find((path) => path.endsWith('.css')) ?? '';
    flipByte(at('history.zip'), style, 0);
    await importHistory(store, goodHistory(61));
    const damaged = readFileSync(at('history.zip'));
    await expect(into('history.zip')).rejects.toMatchObject({ code: 'tree-edited' });
    expect(readFileSync(at('history.zip'))).toEqual(damaged);
    await into('history.zip', { repair: true });
    await into('fresh.zip');
    expect(readFileSync(at('history.zip'))).toEqual(readFileSync(at('fresh.zip')));
  });

  it.each(['rest/data/index.json', 'browse/about.html'])('is repaired if the central directory is damaged at %s', async (path) => {
    const { at, into } = await workplace();
    await into('history.zip');
    const good = readFileSync(at('history.zip'));
    // the entry begins 46 bytes before the path
    flipByteAt(at('history.zip'), good.lastIndexOf(path) - 46);
    await into('history.zip', { repair: true });
    expect(readFileSync(at('history.zip'))).toEqual(good);
  });
});

describe('a build on threads', () => {
  it('has, after an import, the files that one thread renders', async () => {
    // with so few records, there are no threads
    const { store, at } = await workplace(1960);
    const args = ['build', '--store', store, '--base-url', SITE.base_url, '--page-size', '10', '--account-page-size', '3', '--html'];
    await palimpsestJson([...args, '--out', at('history.zip')]);
    await importHistory(store, { records: goodHistory(2001).records.slice(0, 41), accounts: [] });
    await palimpsestJson([...args, '--out', at('history.zip')]);
    // verify renders all files again, on one thread
    expect((await verify({ out: at('history.zip'), store })).violations).toEqual([]);
  });
});
