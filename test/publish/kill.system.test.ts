import { copyFileSync, cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { strays } from '../backup/strays.ts';
import { filesIn } from '../support/folder.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { timesInProcess } from '../support/proof.ts';
import { unneeded } from '../versions/site.ts';
import { killAtSteps } from '../whole/steps.ts';
import { folderOfFile, importLines, recordLines } from '../whole/stores.ts';
import { BASE_URL, buildArgs, differences, pagesIn } from '../whole/trees.ts';

/** How often each run is killed. Runs to simulated stores are killed at every request. */
const KILLS = timesInProcess('killed runs of each kind', 6, 60);

const folder = folderOfFile();
const store = join(folder, 'store.db');
const [tree, html, zip] = [join(folder, 'tree'), join(folder, 'html'), join(folder, 'history.zip')];
const SIZES = ['--page-size', '10', '--account-page-size', '5'];
const out = (path: string) => buildArgs(store, path, path === html ? [...SIZES, '--html'] : SIZES);

/** What sends something to a folder, and the files there that nobody needs. */
const KINDS: readonly (readonly [name: string, args: readonly string[], left: (target: string) => readonly string[]])[] = [
  ['publish of a folder', ['publish', '--out', tree], (target) => differences(pagesIn(target), pagesIn(tree)).filter(isUnexpected)],
  ['publish of HTML pages', ['publish', '--out', html], (target) => differences(pagesIn(target), pagesIn(html)).filter(isUnexpected)],
  ['publish of a ZIP', ['publish', '--out', zip, '--store', store], unneeded],
  ['store push', ['store', 'push', '--store', store], (target) => strays(filesIn(target))],
];

/** The target of a publish has one file more. A run that changes nothing takes no lock, so the empty lock file of a killed run stays. */
function isUnexpected(difference: string): boolean {
  return difference !== 'publish.json should not exist' && difference !== '.palimpsest.lock should not exist';
}

/** Returns the broken links at a target that a reader can reach from any HTML page that was there before. */
function brokenLinks(target: string, before: string): readonly string[] {
  const files = pagesIn(target);
  const reached = new Set([...pagesIn(before).keys()].filter((path) => path.endsWith('.html') && files.has(path)));
  const broken: string[] = [];
  for (const path of reached) {
    for (const [, link = ''] of String(files.get(path)).matchAll(/ (?:href|src)="([^"#]+)/g)) {
      const { href } = new URL(link, `${BASE_URL}/${path}`);
      if (!href.startsWith(BASE_URL)) continue;
      const found = href.slice(BASE_URL.length + 1).replace(/\/$/, '/index.json');
      if (!files.has(found)) broken.push(`${path} -> ${link}`);
      else if (found.endsWith('.html')) reached.add(found);
    }
  }
  return broken;
}

beforeAll(async () => {
  const lines = await recordLines(130, 20);
  await importLines(store, lines.slice(0, 100));
  for (const path of [tree, html, zip]) await palimpsestJson(out(path));
  for (const [name, args] of KINDS) await palimpsestJson([...args, join(folder, `${name} before`)]);
  await importLines(store, lines.slice(100));
  for (const path of [tree, html, zip]) await palimpsestJson(out(path));
});

it.each(KINDS)('a killed %s is completed by the next one, which leaves no other file', async (name, args, left) => {
  const target = join(folder, name);
  const state = join(folder, `${name} store.db`);
  copyFileSync(store, state);
  const reset = () => {
    rmSync(target, { recursive: true, force: true });
    cpSync(join(folder, `${name} before`), target, { recursive: true });
    // a publish of a version writes to the store what it published
    for (const suffix of ['-wal', '-shm', '-journal']) rmSync(store + suffix, { force: true });
    copyFileSync(state, store);
  };
  await killAtSteps(folder, [...args, target], KILLS, reset, async (step) => {
    // a reader who follows links finds each page at any time
    expect(brokenLinks(target, join(folder, `${name} before`)), step).toEqual([]);
    await palimpsestJson([...args, target]);
    expect(left(target), step).toEqual([]);
    expect(existsSync(join(target, '.palimpsest')) ? readdirSync(join(target, '.palimpsest')) : [], step).toEqual([]);
    if (name.startsWith('publish'))
      expect(await palimpsestJson(['verify', '--out', target, '--store', store]), step).toMatchObject({ violations: [], records: 130 });
  });
});
