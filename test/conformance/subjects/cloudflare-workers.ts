import { fileURLToPath } from 'node:url';
import { cloudflareWorkers as host } from '../../../src/rewrite/hosts/cloudflare-workers.ts';
import { freePort, installed, listening, MODULES, releaseOf, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';

const MINIFLARE = fileURLToPath(new URL('miniflare.mjs', import.meta.url));

export const cloudflareWorkers: Subject = {
  host,
  needs: installed('miniflare'),
  release: () => `miniflare ${releaseOf('miniflare')}, workerd ${releaseOf('workerd')}`,
  start: async ({ files, tree }) => {
    const port = await freePort();
    const run = () => listening(port, startChild(process.execPath, [MINIFLARE, MODULES, files, tree, String(port)]));
    let running = await run();
    return {
      ask: running.ask,
      stop: () => running.stop(),
      // a deployment contains a copy of the tree
      deploy: async () => {
        await running.stop();
        running = await run();
      },
    };
  },
};
