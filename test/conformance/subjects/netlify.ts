import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { host } from '../../../src/rewrite/hosts/netlify.ts';
import { freePort, inPackage, installed, listening, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';
import { deno } from './deno.ts';
import { nameOrigin, startOrigin } from './static-origin.ts';

const NETLIFY = fileURLToPath(new URL('netlify.mjs', import.meta.url));

export const netlify: Subject = {
  host,
  needs: installed('deno'),
  release: () => `Deno ${deno.release()}`,
  start: async ({ files, tree, work }) => {
    const [port, origin] = [await freePort(), await startOrigin(tree)];
    const edgeFunction = join(files, 'netlify/edge-functions/palimpsest.js');
    nameOrigin(edgeFunction, origin);
    const args = ['run', '--allow-net', '--allow-read', '--no-prompt', NETLIFY, edgeFunction, origin.url, String(port)];
    const env = { DENO_DIR: work, DENO_NO_UPDATE_CHECK: '1' };
    return listening(port, startChild(inPackage('.bin/deno'), args, env), origin.child);
  },
};
