import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { varnish as host } from '../../../src/rewrite/hosts/varnish.ts';
import { edited, freePort, listening, program, releaseFrom, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';
import { startOrigin } from './static-origin.ts';

export const varnish: Subject = {
  host,
  needs: program('varnishd', 'varnish gcc libc6-dev'),
  release: () => releaseFrom('varnishd', ['-V'], /varnish-([\d.]+)/),
  start: async ({ files, tree, work }) => {
    const [port, origin] = [await freePort(), await startOrigin(tree)];
    const text = edited(readFileSync(join(files, 'palimpsest.vcl'), 'utf8'), { '"8080"': `"${origin.port}"` });
    writeFileSync(join(work, 'default.vcl'), text);
    const args = ['-F', '-n', join(work, 'varnish'), '-a', `127.0.0.1:${port}`, '-f', join(work, 'default.vcl'), '-s', 'malloc,16m'];
    return listening(port, startChild('varnishd', [...args, '-j', 'none']), origin.child);
  },
};
