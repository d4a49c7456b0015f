import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { host } from '../../../src/rewrite/hosts/cloudflare-workers.ts';
import { freePort, installed, listening, MODULES, releaseOf, startChild } from '../child.ts';
import type { Running, Subject } from '../subject.ts';

const MINIFLARE = fileURLToPath(new URL('miniflare.mjs', import.meta.url));

export const cloudflareWorkers: Subject = {
  host,
  needs: installed('miniflare'),
  release: () => `miniflare ${releaseOf('miniflare')}, workerd ${releaseOf('workerd')}`,
  start: ({ files, tree }) => start([MINIFLARE, MODULES, files, tree]),
};

async function start(args: readonly string[]): Promise<Running> {
  const port = await freePort();
  const run = async () => {
    const child = startChild(process.execPath, [...args, String(port)]);
    // copying a large tree takes its time
    const { process: miniflare } = child;
    await Promise.race([once(miniflare, 'close'), ...(miniflare.stdout === null ? [] : [once(miniflare.stdout, 'data')])]);
    return listening(port, child);
  };
  let running = await run();
  return {
    ask: (...request) => running.ask(...request),
    stop: () => running.stop(),
    // the deployment or the bucket contains a copy of the tree
    deploy: async () => {
      await running.stop();
      running = await run();
    },
  };
}
