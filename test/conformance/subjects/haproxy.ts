import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { haproxy as host } from '../../../src/rewrite/hosts/haproxy.ts';
import { edited, freePort, listening, program, releaseFrom, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';
import { startOrigin } from './static-origin.ts';

export const haproxy: Subject = {
  host,
  needs: program('haproxy'),
  release: () => releaseFrom('haproxy', ['-v'], /version ([\d.]+)/),
  start: async ({ files, tree, work }) => {
    const [port, origin] = [await freePort(), await startOrigin(tree)];
    const text = edited(readFileSync(join(files, 'palimpsest.cfg'), 'utf8'), {
      'bind :80': `bind 127.0.0.1:${port}`,
      '127.0.0.1:8080': `127.0.0.1:${origin.port}`,
    });
    writeFileSync(join(work, 'haproxy.cfg'), text);
    return listening(port, startChild('haproxy', ['-db', '-f', join(work, 'haproxy.cfg')]), origin.child);
  },
};
