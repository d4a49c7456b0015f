import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inPackage, installed } from '../conformance/child.ts';
import { folderOfFile } from '../whole/stores.ts';
import { type Browser, CHROMIUM, launch, type Page, until, visit } from './chromium.ts';
import { readerTree } from './reader-tree.ts';

const AXE = installed('axe-core');

/** The script leaves a page with this list. */
const HOLDERS = '<ul class=holders>';

/** Finds what axe-core passes: elements that the script adds and HTML forbids, and links and buttons in the headings of records. */
const INVALID = `Array.from(document.querySelectorAll('[type=search][role], pre[aria-label]:not([role]), .own :is(h3, h4) :is(a, button)'), (each) => each.outerHTML)`;

/** Without JavaScript, a page has no timers. axe-core needs only those that end at once, if it does not load style sheets before. */
const TIMERS = 'setTimeout = (run, ms) => (ms ? 0 : void Promise.resolve().then(run));';

/** A violation as axe-core reports it. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

describe.skipIf(CHROMIUM.skip || AXE.skip)(`pages for every reader, in Chromium ${CHROMIUM.reason}${AXE.reason}`, () => {
  const folder = folderOfFile();
  let site = '';
  let paths: readonly string[] = [];
  let browser: Browser;

  beforeAll(async () => {
    const [out, started] = await Promise.all([readerTree(folder), launch()]);
    paths = readdirSync(out, { recursive: true, encoding: 'utf8' });
    site = `${pathToFileURL(out).href}/`;
    // without this class, this page stays
    const former = join(out, pageOf('tidewatch.html'));
    const html = readFileSync(former, 'utf8');
    expect(html).toContain(HOLDERS);
    writeFileSync(former, html.replace(HOLDERS, '<ul>'));
    browser = started;
  });
  afterAll(() => browser.close());

  /** Returns the path of a page by the name of its file. */
  function pageOf(name: string): string {
    const path = paths.find((each) => each.endsWith(`/${name}`));
    if (path === undefined) throw new Error(`no page ${name}`);
    return path;
  }

  function newestChanges(): string {
    const numbers = paths.flatMap((path) => /^browse\/changes\/(\d+)\.html$/.exec(path)?.[1] ?? []).map(Number);
    return `browse/changes/${Math.max(...numbers)}.html`;
  }

  /** Each kind of page, some of them with a bio of 10,000 characters, and what a reader does there. */
  const KINDS: { readonly [kind: string]: readonly [path: () => string, act?: (page: Page) => Promise<void>] } = {
    home: [() => 'index.html'],
    changes: [() => 'browse/changes/2.html'],
    'newest changes': [newestChanges],
    accounts: [() => 'browse/accounts/all.html'],
    'accounts by changes': [() => 'browse/changed.html'],
    month: [() => 'browse/months/2019-03.html'],
    account: [() => pageOf('nina_k.html')],
    'long account': [() => pageOf('ferry_times.html')],
    'older changes': [() => pageOf('ferry_times~p1.html')],
    'right to left': [() => pageOf('maktabat_alsabah.html')],
    'handle that another account had': [() => pageOf('harbour_light.html')],
    'former handle': [() => pageOf('tidewatch.html')],
    about: [() => 'browse/about.html'],
    'page not found': [() => 'browse/404.html'],
    search: [() => 'index.html', search],
    filter: [() => pageOf('nina_k.html'), (page) => page.locator('label[for=fB]').click()],
    comparison: [() => pageOf('nina_k.html'), compare],
    'two days': [() => pageOf('nina_k.html'), (page) => chooseDays(page, '2023-05-20', '2023-12-30')],
    citation: [() => pageOf('nina_k.html'), cite],
    keys: [() => pageOf('nina_k.html'), (page) => page.keyboard.press('?')],
  };

  /** How a reader looks at a page: the color scheme, the width of the window in pixels, and the rules that this can break. */
  const VIEWS = [
    ['light', 1280, '{}'],
    // only colors differ in the dark
    ['dark', 1280, `{ runOnly: ['color-contrast'] }`],
    ['light', 360, '{}'],
  ] as const;

  /** The kinds of page that are also looked at on a narrow screen. */
  const NARROW = ['home', 'changes', 'long account', 'about', 'search', 'comparison', 'citation'];

  const title = 'no kind of page breaks a rule of axe-core, light and dark, wide and narrow; JavaScript is';
  it.each(['on', 'off'])(`${title} %s`, { timeout: 600_000 }, async (javaScript) => {
    const isOn = javaScript === 'on';
    const axe = readFileSync(inPackage('axe-core/axe.min.js'), 'utf8');
    const broken: string[] = [];
    // not with `visit`: axe-core reads style sheets, which the policy of the pages refuses
    const context = await browser.newContext({ javaScriptEnabled: isOn });
    const page = await context.newPage();
    for (const [kind, [path, act]] of Object.entries(KINDS)) {
      // what readers do there needs JavaScript
      if (act !== undefined && !isOn) continue;
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(site + path());
      await act?.(page);
      // as a reader sees it who scrolled there
      await page.evaluate(`${isOn ? '' : TIMERS}${axe}; undefined`);
      for (const invalid of await page.evaluate<string[]>(INVALID)) broken.push(`${kind}: ${invalid}`);
      for (const [colorScheme, width, rules] of VIEWS) {
        if (width < 400 && !NARROW.includes(kind)) continue;
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate<boolean>(`matchMedia('(prefers-color-scheme: ${colorScheme}) and (width: ${width}px)').matches`)).toBe(
          true,
        );
        const violations = await page.evaluate<Violation[]>(
          `axe.run({ preload: false, ...${rules} }).then(({ violations }) => violations)`,
        );
        for (const { id, nodes } of violations)
          broken.push(`${kind}, ${colorScheme}, ${width}: ${id} ${nodes[0]?.target} ${nodes[0]?.failureSummary}`);
      }
    }
    await context.close();
    expect(broken).toEqual([]);
  });

  async function search(page: Page): Promise<void> {
    await page.locator('#query').fill('gro');
    await page.locator('[role=option]').first().waitFor();
  }

  async function cite(page: Page): Promise<void> {
    await page.locator('button.cite').first().click();
    await page.locator('dialog.citation').waitFor();
  }

  async function chooseDays(page: Page, day: string, other: string): Promise<void> {
    await page.locator('#other-day').fill(other);
    await page.locator('#day').fill(day);
    await page.locator('[data-day] dl').waitFor();
  }

  async function compare(page: Page): Promise<void> {
    const buttons = page.locator('article.B button.compare');
    await buttons.first().click();
    await buttons.last().click();
  }

  it.each([
    ['a narrow screen', 360, 'screen', false],
    ['paper, which shows all months', 680, 'print', true],
  ] as const)('the number of changes in a month is on one line and in its cell on %s', async (_, width, media, showsAll) => {
    const page = await visit(browser, `${site}index.html`, site);
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ media });
    const lines = `(() => {
      const cell = document.querySelector('table.heat a');
      cell.textContent = '123,456';
      const range = document.createRange();
      range.selectNodeContents(cell);
      const december = document.querySelector('table.heat th:last-child').getBoundingClientRect();
      return [range.getClientRects().length, cell.scrollWidth <= cell.clientWidth, december.right <= innerWidth];
    })()`;
    expect(await page.evaluate(lines)).toEqual([1, true, showsAll]);
  });

  it('the words in a day of a calendar fit into it on a narrow screen', async () => {
    const page = await visit(browser, `${site}browse/months/2019-03.html`, site);
    await page.setViewportSize({ width: 360, height: 900 });
    const fits = (parent: string, text: string) =>
      page.evaluate<boolean>(`(() => {
        const words = document.querySelector('.calendar td > ${parent}').appendChild(document.createElement('small'));
        words.textContent = '${text}';
        return words.scrollWidth <= words.clientWidth + 1;
      })()`);
    expect([await fits('a', '100 renames'), await fits('span', 'no snapshot')]).toEqual([true, true]);
  });

  it('the texts of charts can be read on a narrow screen, and do not cover each other', async () => {
    for (const [path, chart] of [
      ['index.html', '.chart'],
      [pageOf('two_parts.html'), '.lanes'],
    ] as const) {
      const page = await visit(browser, site + path, site);
      await page.setViewportSize({ width: 360, height: 900 });
      const boxes = await page.evaluate<{ left: number; right: number; top: number; bottom: number; size: number }[]>(
        `Array.from(document.querySelectorAll('${chart} text'), (text) => {
          const { left, right, top, bottom } = text.getBoundingClientRect();
          return { left, right, top, bottom, size: parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a };
        }).filter(({ left, right }) => right > left)`,
      );
      expect(boxes.length).toBeGreaterThan(2);
      expect(Math.min(...boxes.map(({ size }) => size))).toBeGreaterThan(11);
      const covered = boxes.filter((one) =>
        boxes.some(
          (other) =>
            other !== one && other.left < one.right && one.left < other.right && other.top + 3 < one.bottom && one.top + 3 < other.bottom,
        ),
      );
      expect(covered).toEqual([]);
      // a number of periods has a line only if there are several
      expect(await page.locator('.glance td:last-child:not([colspan]):visible').count()).toBe(0);
    }
  });

  it('every action works with the keyboard alone', async () => {
    const page = await visit(browser, `${site}index.html`, site);
    const { press, type } = { press: (key: string) => page.keyboard.press(key), type: (text: string) => page.keyboard.type(text) };
    const focused = (expression: string) => page.evaluate<string>(`document.activeElement.${expression}`);
    /** Presses Tab until an element has the focus. */
    const tabTo = async (selector: string) => {
      for (let tries = 100; tries > 0; tries -= 1) {
        await press('Tab');
        if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
      }
      throw new Error(`Tab never reaches ${selector} at ${page.url()}`);
    };

    // the first key skips the navigation
    await press('Tab');
    expect(await focused('hash')).toBe('#main');
    // search
    await press('/');
    await type('nin');
    await until(page, `document.querySelectorAll('[role=option]').length === 1`);
    await press('Enter');
    await page.waitForURL(/nina_k\.html$/);
    // filter by field
    await tabTo('[name=f]');
    for (const _ of ['Changes', 'First values', 'Name', 'Bio']) await press('ArrowRight');
    expect(await page.locator('#fB').isChecked()).toBe(true);
    const shown = () =>
      page.evaluate<number>(`Array.from(document.querySelectorAll('article')).filter((each) => each.getClientRects().length > 0).length`);
    const bios = await shown();
    // filter by date, and back to all dates
    await tabTo('#from');
    await type('05012023');
    expect(await shown()).toBeLessThan(bios);
    await tabTo('.filters button');
    await press('Enter');
    expect(await shown()).toBe(bios);
    // from change to change, and the permalink of one; in a field, j is a letter
    await tabTo('article a');
    await press('j');
    await press('j');
    const id = await focused('id');
    await tabTo(`#${id} h4 + a`);
    expect(await focused('ariaLabel')).toMatch(/^Permalink: \w+, \d+ \w+ \d{4}, /);
    await press('Enter');
    await until(page, `location.hash === '#${id}'`);
    // comparison
    await tabTo(`#${id} button.compare`);
    await press('Enter');
    await tabTo('button.compare[aria-pressed=false]');
    await press('Enter');
    expect(await page.locator('dialog.comparison').isVisible()).toBe(true);
    await press('Escape');
    // the script removes the dialog when it hears that it is closed
    await until(page, `document.querySelector('dialog') === null`);
    expect(await focused('className')).toContain('compare');
    // keys, and the other pages
    await press('?');
    expect(await page.locator('dialog.help').isVisible()).toBe(true);
    await tabTo('dialog button');
    await press('Enter');
    await page.goto(`${site}index.html`);
    await tabTo('table.heat a');
    await press('Enter');
    await page.waitForURL(/browse\/months\//);
    await tabTo('.calendar a');
    await press('Enter');
    await page.waitForURL(/browse\/changes\/\d+\.html#r\d+$/);
    await tabTo('.pages[aria-label="Older changes"] a');
    await press('Enter');
    await page.waitForURL(/browse\/changes\/\d+\.html$/);
  });
});
