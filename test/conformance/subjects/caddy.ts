import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { caddy as host } from '../../../src/rewrite/hosts/caddy.ts';
import { edited, freePort, listening, program, releaseFrom, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';

export const caddy: Subject = {
  host,
  needs: program('caddy'),
  release: () => releaseFrom('caddy', ['version'], /([\d.]+)/),
  start: async ({ files, tree, work }) => {
    const port = await freePort();
    const text = edited(readFileSync(join(files, 'Caddyfile'), 'utf8'), {
      'history.example {': `http://127.0.0.1:${port} {`,
      '/var/www/palimpsest/out': tree,
    });
    writeFileSync(join(work, 'Caddyfile'), `{\n\tadmin off\n\tauto_https off\n}\n${text}`);
    const env = { HOME: work, XDG_DATA_HOME: work, XDG_CONFIG_HOME: work };
    return listening(port, startChild('caddy', ['run', '--config', join(work, 'Caddyfile'), '--adapter', 'caddyfile'], env));
  },
};
