import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sendRange } from '../browse/viewer.ts';
import { inPackage, installed } from '../conformance/child.ts';
import { openPage } from '../conformance/subjects/chromium.ts';
import { temporaryFolder } from '../support/folder.ts';
import { requirement } from '../support/requirement.ts';
import { archiveOf, BASE_URL, SAMPLE, treeOf } from './archived.ts';

const chromium = requirement('chromium', () => spawnSync('chromium', ['--version']).status === 0);
/** The service worker of ReplayWeb.page, which answers requests from a WACZ in the browser. */
const WORKER = inPackage('replaywebpage/sw.js');
const replayWebPage = installed('replaywebpage');

/** Serves a page, the worker and a WACZ. The worker reads ranges of it. */
async function startSite(wacz: string): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url?.replace(/\?.*/, '');
    if (path === '/history.wacz') return sendRange(wacz, request, response);
    if (path === '/sw.js') return void response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(readFileSync(WORKER));
    if (path === '/') return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>a viewer</title>');
    return void response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Registers the worker and has it load the WACZ. */
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
const WALK = `async (address) => {
  const pages = [];
  for (let next = address; next !== null; next = JSON.parse(pages.at(-1).text).next) {
    const response = await fetch('/w/history/mp_/' + next);
    if (response.status !== 200) throw new Error(next + ' ' + response.status);
    pages.push({ text: await response.text(), type: response.headers.get('Content-Type') });
  }
  return pages;
}`;

describe.skipIf(chromium.skip || replayWebPage.skip)(
  `a WACZ in ReplayWeb.page in Chromium ${chromium.reason}${replayWebPage.reason}`,
  () => {
    it('answers a client that follows next through both collections with the bytes of the tree', async () => {
      const folder = temporaryFolder();
      const out = await treeOf(folder, SAMPLE, ['--page-size', '20', '--account-page-size', '7']);
      const site = await startSite(await archiveOf(out, 'wacz', join(folder, 'history.wacz')));
      const page = await openPage(join(folder, 'profile'), `${site}/`);
      try {
        expect(await page.evaluate(LOAD)).toBe(true);
        for (const [collection, pages] of [
          ['data', 16],
          ['account', 6],
        ] as const) {
          const files = Array.from({ length: pages }, (_, index) =>
            readFileSync(join(out, `rest/${collection}/page/${index + 1}/index.json`), 'utf8'),
          );
          const walked = await page.evaluate(`(${WALK})('${BASE_URL}/rest/${collection}/')`);
          expect(walked).toEqual(files.map((text) => ({ text, type: 'application/json' })));
        }
        const status = (query: string) =>
          page.evaluate(`fetch('/w/history/mp_/${BASE_URL}/rest/data/${query}').then(({ status }) => status)`);
        expect([await status('?page=1'), await status('?page=16'), await status('?page=17')]).toEqual([200, 200, 404]);
      } finally {
        await page.close();
      }
    });
  },
);
