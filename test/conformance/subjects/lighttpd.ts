import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lighttpd as host } from '../../../src/rewrite/hosts/lighttpd.ts';
import { edited, freePort, listening, program, releaseFrom, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';

export const lighttpd: Subject = {
  host,
  needs: program('lighttpd'),
  release: () => releaseFrom('lighttpd', ['-v'], /lighttpd\/([\d.]+)/),
  start: async ({ files, tree, work }) => {
    const port = await freePort();
    const text = edited(readFileSync(join(files, 'palimpsest.conf'), 'utf8'), {
      '^history\\.example(?::\\d+)?$': '^127\\.0\\.0\\.1:\\d+$',
      '/var/www/palimpsest/out': tree,
      '/etc/lighttpd/palimpsest/': `${files}/errors/`,
    });
    // Debian's own lighttpd.conf begins so
    const main = `server.modules = ("mod_indexfile", "mod_access")\nserver.document-root = "${work}"\nserver.port = ${port}\nserver.bind = "127.0.0.1"\n`;
    writeFileSync(join(work, 'lighttpd.conf'), main + text);
    return listening(port, startChild('lighttpd', ['-D', '-f', join(work, 'lighttpd.conf')]));
  },
};
