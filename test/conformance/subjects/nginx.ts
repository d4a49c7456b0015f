import { host } from '../../../src/rewrite/hosts/nginx.ts';
import { byName, freePort, listening, program, releaseFrom } from '../child.ts';
import type { Subject } from '../subject.ts';
import { pathOf, startDebianNginx } from './nginx-machine.ts';

export const nginx: Subject = {
  host,
  needs: program('nginx', 'nginx-light libnginx-mod-http-brotli-static', [pathOf('brotli_static')]),
  release: () => releaseFrom('nginx', ['-v'], /nginx\/([\d.]+)/),
  start: async (trial) => {
    const port = await freePort();
    return byName(await listening(port, startDebianNginx(trial, host.steps, port)));
  },
};
