import { join } from 'node:path';
import { deno as host } from '../../../src/rewrite/hosts/deno.ts';
import { freePort, inPackage, installed, listening, releaseFrom, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';

const BINARY = inPackage('.bin/deno');

export const deno: Subject = {
  host,
  needs: installed('deno'),
  release: () => releaseFrom(BINARY, ['--version'], /deno ([\d.]+)/),
  start: async ({ files, tree, work }) => {
    const port = await freePort();
    const args = ['run', '--allow-net', '--allow-read', '--allow-env', '--no-prompt', join(files, 'main.js')];
    const env = { TREE: tree, PORT: String(port), HOST: '127.0.0.1', DENO_DIR: work, DENO_NO_UPDATE_CHECK: '1' };
    return listening(port, startChild(BINARY, args, env));
  },
};
