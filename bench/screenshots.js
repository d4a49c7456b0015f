// Makes screenshots of each kind of page: light, dark, narrow, and as printed. Needs Chromium and .ci/servers/install.
//   npm run screenshots              makes only the pictures of the README and of docs/browse.md, in docs
//   npm run screenshots -- FOLDER    makes screenshots of all kinds of pages, in this folder
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { chromium } = createRequire(join(ROOT, '.ci/servers/package.json'))('playwright-core');
const [target] = process.argv.slice(2);
const folder = target === undefined ? join(ROOT, 'docs') : resolve(target);
const work = mkdtempSync(join(tmpdir(), 'palimpsest-'));
mkdirSync(folder, { recursive: true });

try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main() {
  const out = buildSample();
  const executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    if (target === undefined) await docsPictures(browser, out);
    else await everyPage(browser, out);
  } finally {
    await browser.close();
  }
}

/** Builds the sample and its snapshots. Returns the folder of the tree. */
function buildSample() {
  const [store, out] = [join(work, 'store.db'), join(work, 'out')];
  const run = (...args) => execFileSync(process.execPath, [join(ROOT, 'bin/palimpsest.js'), ...args, '--store', store, '--quiet']);
  run('import', join(ROOT, 'data/sample'));
  run('observe', join(ROOT, 'data/sample-snapshots.ndjson'));
  run('build', '--html', '--out', out);
  return out;
}

/** Returns the path of a file below a folder by its name. */
function find(out, name) {
  return readdirSync(join(out, 'browse'), { recursive: true }).find((path) => path.endsWith(`/${name}`));
}

async function everyPage(browser, out) {
  const pages = {
    home: ['index.html'],
    changes: ['browse/changes/2.html'],
    accounts: ['browse/accounts/all.html'],
    month: [`browse/months/${readdirSync(join(out, 'browse/months')).sort().at(-2)}`],
    account: [`browse/${find(out, 'nina_k.html')}`],
    'account-rtl': [`browse/${find(out, 'maktabat_alsabah.html')}`],
    search: ['index.html', search],
    comparison: [`browse/${find(out, 'nina_k.html')}`, compare],
    filter: [`browse/${find(out, 'nina_k.html')}`, (page) => page.click('label[for=fB]')],
    keys: [`browse/${find(out, 'nina_k.html')}`, (page) => page.keyboard.press('?')],
  };
  const looks = {
    light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
    dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
    print: { colorScheme: 'light', viewport: { width: 794, height: 1123 } },
    narrow: { colorScheme: 'light', viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 },
  };
  for (const [look, options] of Object.entries(looks)) {
    const context = await browser.newContext(options);
    for (const [name, [path, act]] of Object.entries(pages)) {
      if (look === 'print' && act !== undefined) continue;
      const page = await open(context, out, path);
      if (look === 'print') await page.emulateMedia({ media: 'print' });
      await act?.(page);
      await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: act === undefined });
      await page.close();
    }
    await context.close();
  }
}

async function open(context, out, path) {
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(out, path)).href);
  return page;
}

async function search(page) {
  await page.fill('#query', 'gro');
  await page.waitForSelector('[role=option]');
}

async function compare(page) {
  const buttons = page.locator('article.B button.compare');
  await buttons.first().click();
  await buttons.last().click();
}

/** Makes the pictures of the docs. `browse.png` is also in the README. */
async function docsPictures(browser, out) {
  const account = `browse/${find(out, 'nina_k.html')}`;
  const wide = { colorScheme: 'light', viewport: { width: 1040, height: 700 }, deviceScaleFactor: 1.5 };
  const pictures = {
    browse: [account, { ...wide, viewport: { width: 1040, height: 1500 }, deviceScaleFactor: 1 }],
    'browse-home': ['index.html', { ...wide, viewport: { width: 1040, height: 960 } }],
    'browse-month': [`browse/months/${readdirSync(join(out, 'browse/months')).sort().at(-2)}`, wide],
    'browse-narrow': [account, { colorScheme: 'dark', viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 }],
  };
  for (const [name, [path, look]] of Object.entries(pictures)) {
    const context = await browser.newContext(look);
    const page = await open(context, out, path);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await context.close();
  }
}
