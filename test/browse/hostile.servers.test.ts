import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOT_FOUND_FILE } from '../../src/browse/paths.ts';
import { times } from '../support/proof.ts';
import { folderOfFile } from '../whole/stores.ts';
import { type Browser, CHROMIUM, launch, type Page, until } from './chromium.ts';
import { hostileTree } from './hostile-tree.ts';
import { hostileValues } from './hostile-values.ts';
import { foreignMarkup } from './parsed-html.ts';

/** Of how many pages Chromium opens one; all are parsed. A full run opens all. */
const STEP = times('page in a row is opened in Chromium', 40, 1);

const VALUES = hostileValues();
const POLICY = /<meta http-equiv=Content-Security-Policy content="[^"]*">\n/;

const folder = folderOfFile();
/** The same tree without the Content Security Policy. */
const open = join(folder, 'open');
let out = '';
let pages: string[] = [];
let rejected: string[] = [];

beforeAll(async () => {
  ({ out, rejected } = await hostileTree(folder, VALUES));
  // the links of the page for pages that do not exist lead to the root of a server
  pages = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html') && path !== NOT_FOUND_FILE);
  cpSync(out, open, { recursive: true });
  for (const path of pages) {
    const html = readFileSync(join(out, path), 'utf8');
    if (!POLICY.test(html)) throw new Error(`${path} has no policy`);
    writeFileSync(join(open, path), html.replace(POLICY, ''));
  }
});

describe('hostile values in imported and observed records', () => {
  it('are many, and none is rejected', () => {
    expect(VALUES.length).toBeGreaterThan(150);
    expect(pages.length).toBeGreaterThan(2 * VALUES.length);
    expect(rejected).toEqual([]);
  });

  it('are texts on every page', () => {
    const foreign = pages.flatMap((path) => foreignMarkup(readFileSync(join(out, path), 'utf8')).map((found) => `${path}: ${found}`));
    expect(foreign.slice(0, 20)).toEqual([]);
  });
});

describe.skipIf(CHROMIUM.skip)(`hostile values in Chromium ${CHROMIUM.reason}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  it.each([
    ['with', () => out, 4 * STEP],
    ['without', () => open, STEP],
  ] as const)('run nothing, ask nobody and keep the layout, %s the policy', { timeout: 1_800_000 }, async (_, tree, step) => {
    const site = `${pathToFileURL(tree()).href}/`;
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const problems: string[] = [];
    const note = (text: string) => void problems.push(`${page.url().slice(site.length)}: ${text}`);
    page.on('dialog', () => note('a dialog'));
    page.on('pageerror', ({ message }) => note(message));
    page.on('request', (request) => {
      if (!request.url().startsWith(site)) note(request.url().slice(0, 200));
    });
    await page.addInitScript('window.pwned = () => { window.ran = true; }; window.alert = window.pwned;');
    // one page has all values as bios, and without the policy a page can do more
    const isAlways = (path: string) => step === STEP && /all_values|browse\/accounts\//.test(path);
    for (const path of pages.filter((path, index) => isAlways(path) || index % step === 0)) {
      await page.goto(site + path);
      await checkLayouts(page, note);
    }
    await searchAndCompare(page, site, note);
    await context.close();
    expect(problems).toEqual([]);
  });
});

/** What is wrong in a page as Chromium shows it. Articles stand below one another, inside of the window. */
const WRONG = `(() => {
  const wrong = [];
  if (window.ran) wrong.push('code ran');
  const width = document.documentElement.scrollWidth;
  if (width > innerWidth) wrong.push('the document is ' + width + ' wide, the window ' + innerWidth);
  let end = -Infinity;
  for (const article of document.querySelectorAll('article')) {
    const { left, right, top, bottom, height } = article.getBoundingClientRect();
    if (left < 0 || right > innerWidth + 1 || top < end - 1 || height < 20) wrong.push(article.id + ' is at ' + [left, right, top, bottom]);
    end = bottom;
  }
  for (const each of document.querySelectorAll('header.site, footer, h1, dialog, .search-popup:not([hidden])')) {
    const { left, right, height } = each.getBoundingClientRect();
    if (left < -1 || right > innerWidth + 1 || height === 0) wrong.push(each.localName + each.className + ' is at ' + [left, right]);
  }
  return wrong.slice(0, 3);
})()`;

async function checkLayouts(page: Page, note: (text: string) => void): Promise<void> {
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    for (const wrong of await page.evaluate<string[]>(WRONG)) note(`${width}: ${wrong}`);
  }
}

/** Shows hostile names in search results, and compares two hostile values. */
async function searchAndCompare(page: Page, site: string, note: (text: string) => void): Promise<void> {
  await page.goto(`${site}index.html`);
  for (const query of ['<sc', '<img', '">', 'h1', 'observed', '\u202e', '__proto__', '\u0301']) {
    await page.locator('#query').fill(query);
    await until(page, `document.querySelector('.search [role=status]').textContent !== ''`);
    await checkLayouts(page, note);
    await page.locator('#query').fill('');
  }
  const longest = pages.filter((path) => path.includes('all_values') && !path.includes('~p'));
  await page.goto(site + longest[0]);
  const buttons = page.locator('article.B button.compare');
  for (let index = 0; index + 2 < (await buttons.count()); index += 16) {
    await buttons.nth(index).click();
    await buttons.nth(index + 2).click();
    await checkLayouts(page, note);
    await page.locator('dialog button').click();
  }
}
