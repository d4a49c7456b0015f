import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cloudflareWorkers as host } from '../../../src/rewrite/hosts/cloudflare-workers.ts';
import { freePort, installed, listening, MODULES, releaseOf, startChild } from '../child.ts';
import type { Running, Subject, Trial } from '../subject.ts';
import { startOrigin } from './static-origin.ts';

const MINIFLARE = fileURLToPath(new URL('miniflare.mjs', import.meta.url));
const MINIFLARE_R2 = fileURLToPath(new URL('miniflare-r2.mjs', import.meta.url));

export const cloudflareWorkers: Subject = {
  host,
  needs: installed('miniflare'),
  release: () => `miniflare ${releaseOf('miniflare')}, workerd ${releaseOf('workerd')}`,
  start: ({ files, tree }) => start([MINIFLARE, MODULES, files, tree]),
  startComposed: ({ files, tree }) => start([MINIFLARE_R2, MODULES, files, tree]),
};

/**
 * A worker that adds the number of its reads to each answer. Its bucket is a server with the files of the tree, because
 * copying a large tree into the R2 of miniflare takes a quarter of an hour.
 */
const counter = (origin: string) => `import worker from './worker.js';

export default {
  async fetch(request, env, context) {
    let reads = 0;
    const get = async (path) => {
      reads += 1;
      const file = await fetch('${origin}/' + path);
      if (!file.ok) return null;
      return { etag: 'none', body: file.body, arrayBuffer: () => file.arrayBuffer(), json: () => file.json() };
    };
    const { status, headers, body } = await worker.fetch(request, { TREE: { get } }, context);
    return new Response(body, { status, headers: [...headers, ['X-Reads', String(reads)]] });
  },
};
`;

/** Starts the worker for the composed layout without a cache. The header `X-Reads` has the number of reads of each answer. */
export async function startCounted({ files, tree, work }: Omit<Trial, 'base'>): Promise<Running> {
  const origin = await startOrigin(tree);
  writeFileSync(join(files, 'counter.js'), counter(origin.url));
  const running = await start([MINIFLARE_R2, MODULES, files, work, 'counter.js']);
  const stop = async () => void (await Promise.all([running.stop(), origin.child.stop()]));
  return { ask: running.ask, stop };
}

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
