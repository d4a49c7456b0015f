import { host } from '../../../src/rewrite/hosts/haproxy.ts';
import { STATIC_ORIGIN_STEPS } from '../../../src/rewrite/hosts/nginx-rules.ts';
import { byName, freePort, listening, program, releaseFrom, startChild } from '../child.ts';
import { StockMachine } from '../stock-machine.ts';
import type { Subject } from '../subject.ts';
import { pathOf } from './nginx-machine.ts';
import { startNginxOrigin } from './nginx-static.ts';

const nginx = program('nginx', 'nginx-light libnginx-mod-http-brotli-static', [pathOf('brotli_static')]);

export const haproxy: Subject = {
  host,
  needs: nginx.skip ? nginx : program('haproxy'),
  release: () => releaseFrom('haproxy', ['-v'], /version ([\d.]+)/),
  start: async ({ files, tree, work }) => {
    const [port, origin] = [await freePort(), await startNginxOrigin({ files, tree, work })];
    const machine = new StockMachine(
      'haproxy',
      ['haproxy'],
      { tree, work },
      {
        'bind :80': `bind 127.0.0.1:${port}`,
        'bind [::]:80': `bind [::1]:${port}`,
        // the files are already edited for the origin
        [`127.0.0.1:${origin.port}`]: `127.0.0.1:${origin.port}`,
        // only root may do this
        ...(process.getuid?.() === 0 ? {} : { 'chroot /var/lib/haproxy': '' }),
      },
    );
    const asked = machine.install(files, host.steps.slice(STATIC_ORIGIN_STEPS.length));
    if (asked.join() !== 'reload haproxy') throw new Error(`systemd was asked to ${asked.join()}`);
    return byName(await listening(port, startChild('haproxy', ['-db', '-f', machine.here('/etc/haproxy/haproxy.cfg')]), origin.child));
  },
};
