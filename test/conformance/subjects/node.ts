import { join } from 'node:path';
import { node as host } from '../../../src/rewrite/hosts/node.ts';
import { freePort, listening, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';

export const node: Subject = {
  host,
  needs: { skip: false, reason: '' },
  release: () => process.versions.node,
  start: async ({ files, tree }) => {
    const port = await freePort();
    return listening(port, startChild(process.execPath, [join(files, 'server.mjs')], { TREE: tree, PORT: String(port) }));
  },
};
