import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nginxNjs as host } from '../../../src/rewrite/hosts/nginx-njs.ts';
import { edited, freePort, listening, program, releaseFrom, startChild } from '../child.ts';
import type { Subject } from '../subject.ts';
import { mainConfiguration, moduleAt, pathOf } from './nginx.ts';

export const nginxNjs: Subject = {
  host,
  needs: program('nginx', 'nginx-light libnginx-mod-http-js libnginx-mod-http-brotli-static njs', [pathOf('js'), pathOf('brotli_static')]),
  release: () => `${releaseFrom('nginx', ['-v'], /nginx\/([\d.]+)/)}, njs ${releaseFrom('njs', ['-v'], /([\d.]+)/)}`,
  start: async ({ files, tree, work }) => {
    const port = await freePort();
    const text = edited(readFileSync(join(files, 'palimpsest.conf'), 'utf8'), {
      'listen 80;': `listen 127.0.0.1:${port};`,
      '/etc/nginx/palimpsest/': `${files}/`,
      '/var/www/palimpsest/out/': `${tree}/`,
      '# brotli_static on;': 'brotli_static on;',
    });
    writeFileSync(join(work, 'site.conf'), text);
    writeFileSync(join(work, 'nginx.conf'), `${moduleAt('brotli_static')}${moduleAt('js')}${mainConfiguration(work)}`);
    return listening(port, startChild('nginx', ['-e', join(work, 'error.log'), '-p', work, '-c', join(work, 'nginx.conf')]));
  },
};
