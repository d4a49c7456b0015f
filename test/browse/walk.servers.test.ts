import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { installed } from '../conformance/child.ts';
import { nginx } from '../conformance/subjects/nginx.ts';
import { BIN, palimpsestJson } from '../support/palimpsest.ts';
import { type Browser, CHROMIUM, type Context, launch, type Page } from './chromium.ts';
import { BASE, BASE_URL, readerTree } from './reader-tree.ts';
import { serveViewer } from './viewer.ts';
import { walkByLinks, walkWithSearch } from './walk.ts';

const VIEWER = installed('replaywebpage');

/** Whether a file belongs to the surface of ReplayWeb.page. Not all of its files are in its package. */
const isOfViewer = (url: string) =>
  /^http:\/\/127\.0\.0\.1:\d+\/(w\/api\/|favicons\/|static\/proxy\/|browse\/assets\/icon\.svg)|\/favicon\.ico$/.test(url);

describe.skipIf(CHROMIUM.skip)(`a reader in Chromium ${CHROMIUM.reason}`, () => {
  let [folder, out] = ['', ''];
  let browser: Browser;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-test-'));
    [out, browser] = await Promise.all([readerTree(folder), launch()]);
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens a page. The test fails if it has an error, or asks for anything that does not begin with an address of the site. */
  async function open(url: string, site: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context: Context = await browser.newContext(options);
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => {
      const { url: from } = message.location();
      if (message.type() === 'error' && !isOfViewer(from)) problems.push(`${message.text()} ${from}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(site)) problems.push(request.url());
    });
    onTestFinished(async () => {
      await context.close();
      expect(problems).toEqual([]);
    });
    await page.goto(url);
    return page;
  }

  /** Walks through a site, with and without JavaScript. @param site the address of the tree, with a slash at its end */
  async function walk(site: string, home = site): Promise<void> {
    const page = await open(home, site);
    const back = () => page.goBack();
    await walkWithSearch({ frame: page, back, keyboard: page.keyboard });
    const plain = await open(home, site, { javaScriptEnabled: false });
    await walkByLinks({ frame: plain, back: () => plain.goBack() });
  }

  it('walks through a folder on a disk', async () => {
    const site = `${pathToFileURL(out).href}/`;
    await walk(site, `${site}index.html`);
  });

  it('walks through the pages of palimpsest serve', async () => {
    await walk(`${await startServe()}/`);
  });

  it.skipIf(nginx.needs.skip)(`walks through the pages of nginx ${nginx.needs.reason}`, async () => {
    const [files, work] = [join(folder, 'nginx-files'), join(folder, 'nginx-work')];
    mkdirSync(work);
    await palimpsestJson(['rewrite', 'nginx', '--out', out, '--host-files', files]);
    const { url, stop } = await nginx.start({ files, tree: out, work, base: BASE });
    onTestFinished(stop);
    await walk(`${url}${BASE}/`);
  });

  it.skipIf(VIEWER.skip)(`walks through a WACZ in ReplayWeb.page, from its entry point ${VIEWER.reason}`, async () => {
    const wacz = join(folder, 'history.wacz');
    await palimpsestJson(['archive', 'wacz', '--out', out, '--to', wacz]);
    const viewer = await serveViewer(wacz);
    const page = await open(viewer.urlOf(`${BASE_URL}/`), viewer.url);
    const frame = await viewer.document(page);
    await walkWithSearch({ frame, back: () => page.goBack(), keyboard: page.keyboard });
  });

  /** Starts `palimpsest serve`. Returns its URL. */
  async function startServe(): Promise<string> {
    const server = spawn(process.execPath, [BIN, 'serve', '--out', out, '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void server.kill());
    const line = await new Promise<string>((resolve) => server.stdout.setEncoding('utf8').once('data', resolve));
    return JSON.parse(line).url;
  }
});
