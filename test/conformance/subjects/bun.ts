import { join } from 'node:path';
import { bun as host } from '../../../src/rewrite/hosts/bun.ts';
import { freePort, inPackage, installed, listening, releaseFrom, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';

const BINARY = inPackage('.bin/bun');

export const bun: Subject = {
  host,
  needs: installed('bun'),
  release: () => releaseFrom(BINARY, ['--version'], /([\d.]+)/),
  start: async ({ files, tree }) => {
    const port = await freePort();
    const env = { TREE: tree, PORT: String(port), HOST: '127.0.0.1', DO_NOT_TRACK: '1' };
    return listening(port, startChild(BINARY, [join(files, 'server.js')], env));
  },
};
