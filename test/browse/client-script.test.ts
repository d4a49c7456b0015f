import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { clientScript } from '../../src/browse/client-script.ts';
import { Store } from '../../src/store/store.ts';
import { observe, type Snapshot } from '../support/snapshots.ts';
import { type Browser, CHROMIUM, launch, type Page, serveFolder, writeFiles } from './chromium.ts';
import { browseFilesOf } from './stored.ts';

const time = (n: number) => new Date(Date.UTC(2020, 0, 1) + n * 86_400_000).toISOString();

/** Accounts: nina_k, who was ninette before and changed her bio 130 times, a hostile one, and 300 others whose handles begin with ni. */
function snapshots(): Snapshot[] {
  const bios = Array.from({ length: 130 }, (_, n) => ({
    observed_at: time(n),
    id: 'n',
    screen_name: n === 0 ? 'ninette' : 'nina_k',
    display_name: 'Nina Kowal 🌻',
    bio: n === 0 ? 'maps of places' : `maps of ${n} places that moved\nand <b>more</b>`,
  }));
  const others = Array.from({ length: 300 }, (_, n) => ({
    observed_at: time(n),
    id: `o${n}`,
    screen_name: `ni_other${n}`,
    display_name: `Other ${n}`,
  }));
  const hostile = {
    observed_at: time(1),
    id: 'h',
    screen_name: 'xss',
    display_name: '<img src=x onerror=alert(1)>',
    bio: '<script>alert(1)</script>',
  };
  return [...bios, ...others, hostile].toSorted((a, b) => (a.observed_at < b.observed_at ? -1 : 1));
}

it('the client script is small and has no module syntax', () => {
  const script = clientScript();
  expect(script).not.toMatch(/^\s*(import|export)\b/m);
  expect(script).not.toMatch(/innerHTML|eval\(|fetch\(/);
  expect(script.length).toBeLessThan(17_000);
  expect(() => new Function(script)).not.toThrow();
});

describe.skipIf(CHROMIUM.skip)(`the client script in Chromium ${CHROMIUM.reason}`, () => {
  let [folder, fileUrl, nina, ninette, other] = ['', '', '', '', ''];
  let browser: Browser;
  let site: { readonly url: string; readonly stop: () => void };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-test-'));
    await observe(join(folder, 'store.db'), snapshots());
    const store = Store.open(join(folder, 'store.db'));
    const files = browseFilesOf(store);
    store.close();
    const names = ['nina_k', 'ninette', 'ni_other1'];
    [nina = '', ninette = '', other = ''] = names.map((name) => [...files.keys()].find((path) => path.endsWith(`/${name}.html`)) ?? '');
    fileUrl = writeFiles(join(folder, 'out'), files);
    site = await serveFolder(join(folder, 'out'));
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    site.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens a page of the tree. The test fails if the page has an error or asks another host for anything. */
  async function open(path: string, base = fileUrl, options: { readonly javaScriptEnabled?: boolean } = {}): Promise<Page> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(base)) problems.push(request.url());
    });
    onTestFinished(async () => {
      await context.close();
      expect(problems).toEqual([]);
    });
    await page.goto(base + path);
    return page;
  }

  const results = (page: Page) => page.locator('[role=option]');

  /** Waits until an expression is true. The policy of the pages forbids the polling of Playwright, which needs eval. */
  async function until(page: Page, expression: string): Promise<void> {
    await expect.poll(() => page.evaluate(expression), { timeout: 10_000 }).toBe(true);
  }

  it.each(['file', 'http'])('finds an account by three letters from %s://', async (scheme) => {
    const page = await open('index.html', scheme === 'file' ? fileUrl : site.url);
    await page.keyboard.press('/');
    await page.keyboard.type('kow');
    await results(page).first().waitFor();
    expect(await results(page).allTextContents()).toEqual(['@nina_k Nina Kowal 🌻']);
    await page.keyboard.press('Enter');
    await page.waitForURL(/nina_k\.html$/);
    expect(await page.title()).toMatch(/@nina_k/);
  });

  it('finds accounts from the first letter, and by former handle, with a number of all', async () => {
    const page = await open('browse/changes/1.html');
    await page.locator('#query').fill('n');
    await results(page).first().waitFor();
    expect(await results(page).count()).toBe(20);
    expect(await page.locator('.search [role=status]').textContent()).toMatch(/^20 of 301 accounts/);
    expect(await results(page).first().textContent()).toMatch(/^@nina_k /);
    await page.locator('#query').fill('ninet');
    await until(page, 'document.querySelectorAll("[role=option]").length === 1');
    expect(await results(page).first().textContent()).toBe('@nina_k Nina Kowal 🌻 formerly @ninette');
    await page.locator('#query').fill('zzz');
    await until(page, 'document.querySelector(".search [role=status]").textContent === "No account found."');
  });

  it('moves through results with the arrows and closes them with Escape', async () => {
    const page = await open('index.html');
    await page.locator('#query').fill('ni_other29');
    await until(page, 'document.querySelectorAll("[role=option]").length === 11');
    const selected = async () => [
      await page.locator('#query').getAttribute('aria-activedescendant'),
      await page.locator('[aria-selected=true]').getAttribute('id'),
    ];
    expect(await selected()).toEqual(['result-0', 'result-0']);
    await page.keyboard.press('ArrowDown');
    expect(await selected()).toEqual(['result-1', 'result-1']);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await selected()).toEqual(['result-10', 'result-10']);
    expect(await page.locator('#query').getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('Escape');
    expect(await results(page).count()).toBe(0);
    expect(await page.locator('#query').getAttribute('aria-expanded')).toBe('false');
  });

  it('ignores an answer that arrives after a later one', async () => {
    const page = await open('index.html', site.url);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/search\/6e\/69\.js$/, async (route) => {
      await held;
      await route.continue();
    });
    await page.locator('#query').fill('n');
    await page.locator('#query').fill('xss');
    await until(page, 'document.querySelectorAll("[role=option]").length === 1');
    release();
    await until(page, 'performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/6e/69.js"))');
    expect(await results(page).allTextContents()).toEqual(['@xss <img src=x onerror=alert(1)>']);
  });

  it('goes from change to change with j and k, and shows the keys with ?', async () => {
    const page = await open(nina);
    const focused = () => page.evaluate<string>('document.activeElement.id');
    const ids = await page.evaluate<string[]>('Array.from(document.querySelectorAll(".changes article"), ({ id }) => id)');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await focused()).toBe(ids[1]);
    await page.keyboard.press('k');
    expect(await focused()).toBe(ids[0]);
    await page.keyboard.press('k');
    expect(await focused()).toBe(ids[0]);
    await page.keyboard.press('?');
    expect(await page.locator('dialog.help').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await until(page, `document.querySelector('dialog') === null`);
    expect(await focused()).toBe(ids[0]);
    // a key in the search is text
    await page.keyboard.press('/');
    await page.keyboard.type('j?');
    expect(await page.evaluate('document.activeElement.value')).toBe('j?');
  });

  it('filters changes by date', async () => {
    const page = await open('browse/changes/1.html');
    await page.locator('#from').fill('2020-09-01');
    await page.locator('#to').fill('2020-09-03');
    const shown = () =>
      page.evaluate<string[]>(
        'Array.from(document.querySelectorAll(".changes article"), (each) => each).filter((each) => each.getClientRects().length > 0).map((each) => each.querySelector("time").dateTime.slice(0, 10))',
      );
    const days = await shown();
    expect(new Set(days)).toEqual(new Set(['2020-09-01', '2020-09-02', '2020-09-03'].filter((day) => days.includes(day))));
    expect(days.length).toBeGreaterThan(0);
    expect(await page.locator('.filters [role=status]').textContent()).toBe(`${days.length} of 100 changes on this page`);
    expect(
      await page.evaluate('Array.from(document.querySelectorAll(".changes h2")).filter((each) => each.getClientRects().length > 0).length'),
    ).toBe(new Set(days).size);
    await page.locator('.filters button').click();
    expect((await shown()).length).toBe(100);
  });

  it('compares two versions, also of pages with older changes', async () => {
    const page = await open(nina);
    const buttons = page.locator('article.B button.compare');
    await buttons.first().click();
    expect(await buttons.nth(1).textContent()).toBe('Compare with the chosen version');
    await buttons.nth(1).click();
    expect(await page.locator('.difference').textContent()).toBe('maps of 128129 places that moved\nand <b>more</b>');
    expect(await page.locator('.difference del').allTextContents()).toEqual(['128']);
    expect(await page.locator('.difference ins').allTextContents()).toEqual(['129']);
    await page.keyboard.press('Escape');
    await buttons.first().click();
    await page.locator('a[data-first]').last().press('Enter');
    await page.waitForURL(/nina_k~p1\.html$/);
    await buttons.last().click();
    expect(await page.locator('dialog.comparison section p').allTextContents()).toEqual([
      'maps of places',
      'maps of 129 places that moved\nand <b>more</b>',
    ]);
    expect(await page.locator('.difference ins').allTextContents()).toEqual(['129 ', ' that moved\nand <b>more</b>']);
  });

  it('offers no comparison for a field with one version', async () => {
    const page = await open(other);
    expect(await page.locator('.own article').count()).toBeGreaterThan(0);
    expect(await page.locator('button.compare').count()).toBe(0);
  });

  it('shows "First seen" as the text before of a first record only', async () => {
    // a click can miss the link, because the changes above it get their height when they come into view
    const page = await open(nina);
    await page.locator('a[data-first]').last().press('Enter');
    await page.waitForURL(/nina_k~p1\.html$/);
    const labels = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.own article.B')].map((change) => getComputedStyle(change, '::after').content)`,
    );
    expect(labels.length).toBeGreaterThan(1);
    expect([labels.at(-1), new Set(labels.slice(0, -1))]).toEqual(['"First seen"', new Set(['none'])]);
  });

  it('follows the permalink of a record that is on an older page now', async () => {
    const page = await open(nina);
    const oldest = await page.locator('a[data-first]').last().getAttribute('data-first');
    await page.goto(`${fileUrl}${nina}#r${oldest}`);
    await page.waitForURL(/nina_k~p1\.html#r\d+$/);
    expect(await page.evaluate('document.querySelector(":target").id')).toBe(`r${oldest}`);
  });

  it('keeps the fragment when a former handle leads to the account', async () => {
    const page = await open(nina);
    const oldest = await page.locator('a[data-first]').last().getAttribute('data-first');
    await page.goto(`${fileUrl}${ninette}#r${oldest}`);
    await page.waitForURL(/nina_k~p1\.html#r\d+$/);
    expect(page.url()).toMatch(new RegExp(`#r${oldest}$`));
  });

  it('leaves pages readable without JavaScript', async () => {
    const page = await open('index.html', fileUrl, { javaScriptEnabled: false });
    await page.locator('a[href$="browse/changes/1.html"]').first().click();
    await page.locator('.changes article a').first().click();
    await page.waitForURL(/browse\/account\/.*#r\d+$/);
    expect(await page.locator('#query').count()).toBe(0);
    expect(await page.locator(':target').count()).toBe(1);
  });
});
