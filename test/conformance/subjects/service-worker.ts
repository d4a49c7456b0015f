import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../../src/contract/json.ts';
import { host } from '../../../src/rewrite/hosts/service-worker.ts';
import { CHROMIUM } from '../../browse/chromium.ts';
import type { Exchange } from '../../serve/exchange.ts';
import { releaseFrom } from '../child.ts';
import type { Subject } from '../subject.ts';
import { openPage } from './chromium.ts';
import { startOrigin } from './static-origin.ts';

export const serviceWorker: Subject = {
  host,
  needs: CHROMIUM,
  release: () => `Chromium ${releaseFrom('chromium', ['--version'], /Chromium (\d+)/)}`,
  start: async ({ files, tree, work, base }) => {
    const site = join(work, 'site');
    mkdirSync(join(site, base), { recursive: true });
    for (const name of ['rest', 'browse', 'head.json', 'versions']) symlinkSync(join(tree, name), join(site, base, name));
    copyFileSync(join(files, 'palimpsest-worker.js'), join(site, 'palimpsest-worker.js'));
    writeFileSync(join(site, 'index.html'), '<!doctype html><title>a page of the site</title>');
    const origin = await startOrigin(site);
    const page = await openPage(join(work, 'profile'), `${origin.url}/`);
    await page.evaluate(REGISTER);
    const ask = async (target: string, method = 'GET', headers = {}): Promise<Exchange> =>
      parse(await page.evaluate(`(${FETCH})(${JSON.stringify(origin.url + target)}, ${JSON.stringify({ method, headers })})`));
    const stop = async () => {
      await page.close();
      await origin.child.stop();
    };
    return { ask, stop };
  },
};

/** Registers the worker, and waits until it controls this page. */
const REGISTER = `new Promise(async (resolve, reject) => {
  navigator.serviceWorker.addEventListener('controllerchange', () => resolve(true));
  await navigator.serviceWorker.register('/palimpsest-worker.js').catch(reject);
  if (navigator.serviceWorker.controller) resolve(true);
})`;

/** A page cannot see the status and the headers of a redirect, only its target. The worker sends only 301, and only to pages of its own site. */
const FETCH = `async (url, init) => {
  let response = await fetch(url, { ...init, cache: 'no-store', redirect: 'manual' });
  if (response.type === 'opaqueredirect') {
    response = await fetch(url, { ...init, cache: 'no-store' });
    const { pathname, search } = new URL(response.url);
    return { status: 301, headers: { location: pathname + search, 'access-control-allow-origin': '*' }, body: '' };
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), body: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) };
}`;

function parse(value: unknown): Exchange {
  if (!isObject(value) || !isObject(value['headers'])) throw new Error(`no answer: ${JSON.stringify(value)}`);
  const headers = Object.entries(value['headers']).map(([name, header]) => [name, String(header)]);
  return { status: Number(value['status']), headers: Object.fromEntries(headers), body: Buffer.from(String(value['body']), 'base64') };
}
