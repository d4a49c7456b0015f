import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { COLLECTIONS } from '../../src/contract/pages/collection.ts';
import { serve } from '../../src/serve/server.ts';
import { installed } from '../conformance/child.ts';
import { palimpsestJson } from '../support/palimpsest.ts';
import { folderOfFile } from '../whole/stores.ts';
import { type Browser, CHROMIUM, type Frame, launch, type Page, until, visit } from './chromium.ts';
import { BASE_URL, readerTree } from './reader-tree.ts';
import { serveViewer } from './viewer.ts';

const VIEWER = installed('replaywebpage');

/** Registers the service worker of ReplayWeb.page, which answers requests from a WACZ, and has it load the WACZ. */
const LOAD = `new Promise(async (resolve, reject) => {
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    if (data.msg_type === 'collAdded') resolve(true);
    if (data.msg_type === 'collProgress' && data.error) reject(new Error(data.error));
  });
  await navigator.serviceWorker.register('/sw.js');
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller) {
    await new Promise((done) => navigator.serviceWorker.addEventListener('controllerchange', done));
  }
  navigator.serviceWorker.controller.postMessage({ msg_type: 'addColl', name: 'history', file: { sourceUrl: location.origin + '/history.wacz' } });
})`;

/** A client that follows \`next\` to the end of a collection, and returns the text of each page. */
const FOLLOW = `async (address) => {
  const pages = [];
  for (let next = address; next !== null; next = JSON.parse(pages.at(-1).text).next) {
    const response = await fetch('/w/history/mp_/' + next);
    if (response.status !== 200) throw new Error(next + ' ' + response.status);
    pages.push({ text: await response.text(), type: response.headers.get('Content-Type') });
  }
  return pages;
}`;

/** Whether a file belongs to the surface of ReplayWeb.page. Not all of its files are in its package. */
const isOfViewer = (url: string) =>
  /^http:\/\/127\.0\.0\.1:\d+\/(w\/api\/|favicons\/|static\/proxy\/|browse\/assets\/icon\.svg)|\/favicon\.ico$/.test(url);

describe.skipIf(CHROMIUM.skip)(`a reader in Chromium ${CHROMIUM.reason}`, () => {
  const folder = folderOfFile();
  let out = '';
  let browser: Browser;

  beforeAll(async () => {
    [out, browser] = await Promise.all([readerTree(folder), launch()]);
  });
  afterAll(() => browser.close());

  it('walks through the pages of palimpsest serve', async () => {
    const server = await serve({ out, host: '127.0.0.1', port: 0, rebase: true });
    onTestFinished(server.close);
    const page = await visit(browser, `${server.url}/`, server.url);
    await walk({ frame: page, back: () => page.goBack(), keyboard: page.keyboard });
  });

  describe.skipIf(VIEWER.skip)(`of a WACZ in ReplayWeb.page ${VIEWER.reason}`, () => {
    let wacz = '';
    beforeAll(async () => {
      wacz = join(folder, 'history.wacz');
      await palimpsestJson(['archive', 'wacz', '--out', out, '--to', wacz]);
    });

    it('walks through it from its entry point', async () => {
      const viewer = await serveViewer(wacz);
      const page = await visit(browser, viewer.urlOf(`${BASE_URL}/`), viewer.url, {}, isOfViewer);
      const frame = await viewer.document(page);
      await walk({ frame, back: () => page.goBack(), keyboard: page.keyboard });
    });

    it('gets the bytes of the tree as a client that follows next through both collections', async () => {
      const { url } = await serveViewer(wacz);
      // a page without the program of the viewer
      const page = await visit(browser, `${url}sw.js`, url, {}, () => true);
      expect(await page.evaluate(LOAD)).toBe(true);
      for (const collection of COLLECTIONS) {
        const pages = readdirSync(join(out, `rest/${collection}/page`)).filter((name) => name !== 'last').length;
        expect(pages).toBeGreaterThan(2);
        const files = Array.from({ length: pages }, (_, index) =>
          readFileSync(join(out, `rest/${collection}/page/${index + 1}/index.json`), 'utf8'),
        );
        const followed = await page.evaluate(`(${FOLLOW})('${BASE_URL}/rest/${collection}/')`);
        expect(followed).toEqual(files.map((text) => ({ text, type: 'application/json' })));
        const status = (number: number) =>
          page.evaluate(`fetch('/w/history/mp_/${BASE_URL}/rest/${collection}/?page=${number}').then(({ status }) => status)`);
        expect([await status(1), await status(pages), await status(pages + 1)]).toEqual([200, 200, 404]);
      }
    });
  });
});

/** What a reader reads in. In an archive, the document is in a frame of the viewer. */
interface Reader {
  readonly frame: Frame;
  readonly back: () => Promise<unknown>;
  readonly keyboard: Page['keyboard'];
}

/** The ids of the changes that a reader sees, in order. */
const SHOWN = `Array.from(document.querySelectorAll('.changes article')).filter((each) => each.getClientRects().length > 0)`;

/**
 * Walks through the tree, from the home page: finds an account by three letters, filters its bios, opens a change, follows
 * its permalink, and goes back.
 */
async function walk({ frame, back, keyboard }: Reader): Promise<void> {
  await frame.locator('#query').click();
  await keyboard.type('nin');
  await until(frame, `document.querySelectorAll('[role=option]').length === 1`);
  expect(await frame.locator('[role=option]').textContent()).toContain('@nina_k');
  await keyboard.press('Enter');
  await frame.waitForURL(/browse\/account\/[0-9a-f]{2}\/nina_k\.html$/);
  expect(await frame.locator('h1').textContent()).toBe('Nina Kowal 🗺️ @nina_k');

  const all = await frame.evaluate<number>(`${SHOWN}.length`);
  await frame.locator('label[for=fB]').click();
  await until(frame, `${SHOWN}.every((each) => each.matches('.B'))`);
  const bios = await frame.evaluate<string[]>(`${SHOWN}.map(({ id }) => id)`);
  expect(bios.length).toBeGreaterThan(1);
  expect(bios.length).toBeLessThan(all);

  // a change in the feed leads to the same change of its account
  await frame.locator('nav[aria-label=Site] a[href$="index.html#changes"]').click();
  await frame.locator('nav[aria-label="Older changes"] a').nth(1).click();
  await frame.waitForURL(/browse\/changes\/\d+\.html$/);
  const feedPage = frame.url();
  const entry = frame.locator('.changes .entry').nth(2);
  const id = await entry.locator('article').first().getAttribute('id');
  await entry.locator('h3 a').click();
  await frame.waitForURL(new RegExp(`browse/account/.*#${id}$`));
  await until(frame, `document.querySelector(':target')?.id === '${id}'`);
  expect(await isInView(frame, `#${id}`)).toBe(true);

  // its permalink is the same address
  const address = frame.url();
  await frame.locator(`#${id} h4 + a`).first().click();
  expect(frame.url()).toBe(address);
  const other = await frame.evaluate<string>(`${SHOWN}.find((each) => each.id !== '${id}').id`);
  await frame.locator(`#${other} h4 + a`).first().click();
  await until(frame, `document.querySelector(':target')?.id === '${other}'`);

  await back();
  await until(frame, `document.querySelector(':target')?.id === '${id}'`);
  await back();
  await until(frame, `location.href === ${JSON.stringify(feedPage)} || document.querySelector('h1')?.textContent.startsWith('Changes')`);
  expect(frame.url()).toBe(feedPage);
}

function isInView(frame: Frame, selector: string): Promise<boolean> {
  return frame.evaluate(
    `(() => { const { top, bottom } = document.querySelector('${selector}').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight + 1; })()`,
  );
}
