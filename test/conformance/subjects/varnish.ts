import { join } from 'node:path';
import { STATIC_ORIGIN_STEPS } from '../../../src/rewrite/hosts/nginx-rules.ts';
import { host } from '../../../src/rewrite/hosts/varnish.ts';
import { byName, freePort, listening, program, releaseFrom, startChild } from '../child.ts';
import { StockMachine } from '../stock-machine.ts';
import type { Subject } from '../subject.ts';
import { pathOf } from './nginx-machine.ts';
import { startNginxOrigin } from './nginx-static.ts';

const nginx = program('nginx', 'nginx-light libnginx-mod-http-brotli-static', [pathOf('brotli_static')]);

export const varnish: Subject = {
  host,
  needs: nginx.skip ? nginx : program('varnishd', 'varnish gcc libc6-dev'),
  release: () => releaseFrom('varnishd', ['-V'], /varnish-([\d.]+)/),
  start: async ({ files, tree, work }) => {
    const [port, origin] = [await freePort(), await startNginxOrigin({ files, tree, work })];
    const machine = new StockMachine('varnish', ['varnish'], { tree, work }, { '"8080"': `"${origin.port}"` });
    const asked = machine.install(files, host.steps.slice(STATIC_ORIGIN_STEPS.length));
    if (asked.join() !== 'restart varnish') throw new Error(`systemd was asked to ${asked.join()}`);
    // as in Debian's varnish.service, except for ports and the user
    const args = ['-j', 'none', '-F', '-n', join(work, 'varnishd'), '-a', `127.0.0.1:${port}`, '-s', 'malloc,16m'];
    return byName(await listening(port, startChild('varnishd', [...args, '-f', machine.here('/etc/varnish/default.vcl')]), origin.child));
  },
};
