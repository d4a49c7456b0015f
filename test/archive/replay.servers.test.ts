import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveViewer } from '../browse/viewer.ts';
import { installed } from '../conformance/child.ts';
import { openPage } from '../conformance/subjects/chromium.ts';
import { temporaryFolder } from '../support/folder.ts';
import { requirement } from '../support/requirement.ts';
import { archiveOf, BASE_URL, SAMPLE, treeOf } from './archived.ts';

const chromium = requirement('chromium', () => spawnSync('chromium', ['--version']).status === 0);
const replayWebPage = installed('replaywebpage');

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
      const { url } = await serveViewer(await archiveOf(out, 'wacz', join(folder, 'history.wacz')));
      // a page without the program of the viewer
      const page = await openPage(join(folder, 'profile'), `${url}sw.js`);
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
