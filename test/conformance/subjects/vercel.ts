import { fileURLToPath } from 'node:url';
import { host } from '../../../src/rewrite/hosts/vercel.ts';
import { freePort, installed, listening, MODULES, releaseOf, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';
import { startOrigin } from './static-origin.ts';

const VERCEL = fileURLToPath(new URL('vercel.mjs', import.meta.url));

export const vercel: Subject = {
  host,
  needs: installed('edge-runtime'),
  release: () => `edge-runtime ${releaseOf('edge-runtime')}, @vercel/routing-utils ${releaseOf('@vercel/routing-utils')}`,
  start: async ({ files, tree }) => {
    const [port, origin] = [await freePort(), await startOrigin(tree)];
    const args = [VERCEL, MODULES, files, origin.url, String(port)];
    return listening(port, startChild(process.execPath, args), origin.child);
  },
};
