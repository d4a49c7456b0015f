import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apache as host } from '../../../src/rewrite/hosts/apache.ts';
import { edited, freePort, listening, program, releaseFrom, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';

const MODULES = ['mpm_event', 'authz_core', 'dir', 'mime', 'rewrite', 'headers'];

/** Where Debian has a module. */
function pathOf(name: string): string {
  return `/usr/lib/apache2/modules/mod_${name}.so`;
}

export const apache: Subject = {
  host,
  needs: program('apache2', 'apache2', MODULES.map(pathOf)),
  release: () => releaseFrom('apache2', ['-v'], /Apache\/([\d.]+)/),
  start: async ({ files, tree, work }) => {
    const port = await freePort();
    const text = edited(readFileSync(join(files, 'palimpsest.conf'), 'utf8'), {
      '*:80': `127.0.0.1:${port}`,
      '/var/www/palimpsest/out': tree,
    });
    const main = [
      `ServerRoot ${work}`,
      `Listen 127.0.0.1:${port}`,
      'ServerName localhost',
      `PidFile ${work}/apache.pid`,
      `ErrorLog ${work}/error.log`,
      'TypesConfig /etc/mime.types',
      ...MODULES.map((name) => `LoadModule ${name}_module ${pathOf(name)}`),
    ];
    // Debian's own apache2.conf begins so
    main.push('<Directory />', 'Require all denied', '</Directory>');
    const order = [...main.filter((line) => line.startsWith('LoadModule')), ...main.filter((line) => !line.startsWith('LoadModule'))];
    writeFileSync(join(work, 'apache2.conf'), `${order.join('\n')}\n${text}`);
    return listening(port, startChild('apache2', ['-f', join(work, 'apache2.conf'), '-D', 'FOREGROUND'], { APACHE_RUN_DIR: work }));
  },
};
