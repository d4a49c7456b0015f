import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nginx as host } from '../../../src/rewrite/hosts/nginx.ts';
import { edited, freePort, listening, program, releaseFrom, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';

export const nginx: Subject = {
  host,
  needs: program('nginx', 'nginx-light libnginx-mod-http-brotli-static', [pathOf('brotli_static')]),
  release: () => releaseFrom('nginx', ['-v'], /nginx\/([\d.]+)/),
  start: async ({ files, tree, work }) => {
    const port = await freePort();
    const text = edited(readFileSync(join(files, 'palimpsest.conf'), 'utf8'), {
      'listen 80;': `listen 127.0.0.1:${port};`,
      '/var/www/palimpsest/out': tree,
      '# brotli_static on;': 'brotli_static on;',
    });
    writeFileSync(join(work, 'site.conf'), text);
    writeFileSync(join(work, 'nginx.conf'), `${moduleAt('brotli_static')}${mainConfiguration(work)}`);
    return listening(port, startChild('nginx', ['-e', join(work, 'error.log'), '-p', work, '-c', join(work, 'nginx.conf')]));
  },
};

/** The line that loads a module of Debian's. */
export function moduleAt(name: string): string {
  return `load_module ${pathOf(name)};\n`;
}

/** Where Debian has a module. */
export function pathOf(name: string): string {
  return `/usr/lib/nginx/modules/ngx_http_${name}_module.so`;
}

/** What a distribution's nginx.conf has, as far as a server of one's own needs it. */
export function mainConfiguration(work: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${work}/${name};`);
  return `daemon off;
master_process off;
pid ${work}/nginx.pid;
events { }
http {
  access_log off;
${folders.join('\n')}
  include ${work}/site.conf;
}
`;
}
