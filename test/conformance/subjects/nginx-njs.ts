import { host } from '../../../src/rewrite/hosts/nginx-njs.ts';
import { byName, freePort, listening, program, releaseFrom } from '../child.ts';
import type { Subject } from '../subject.ts';
import { pathOf, startDebianNginx } from './nginx-machine.ts';

export const nginxNjs: Subject = {
  host,
  needs: program('nginx', 'nginx-light libnginx-mod-http-js libnginx-mod-http-brotli-static njs', [pathOf('js'), pathOf('brotli_static')]),
  release: () => `${releaseFrom('nginx', ['-v'], /nginx\/([\d.]+)/)}, njs ${releaseFrom('njs', ['-v'], /([\d.]+)/)}`,
  start: async (trial) => {
    const port = await freePort();
    return byName(await listening(port, startDebianNginx(trial, host.steps, port)));
  },
};
