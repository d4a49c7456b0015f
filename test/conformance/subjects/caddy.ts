import { host } from '../../../src/rewrite/hosts/caddy.ts';
import { byName, freePort, listening, program, releaseFrom, SITE_NAME, startChild } from '../child.ts';
import { StockMachine } from '../stock-machine.ts';
import type { Subject } from '../subject.ts';

export const caddy: Subject = {
  host,
  needs: program('caddy'),
  release: () => releaseFrom('caddy', ['version'], /([\d.]+)/),
  start: async ({ files, tree, work }) => {
    const port = await freePort();
    const changes = { ':80 {': `:${port} {`, [`https://${SITE_NAME} {`]: `http://${SITE_NAME}:${port} {` };
    const machine = new StockMachine('caddy', ['caddy'], { tree, work }, changes);
    const env = { HOME: work, XDG_DATA_HOME: work, XDG_CONFIG_HOME: work, CADDY_ADMIN: `unix/${work}/admin.sock` };
    const asked = machine.install(files, host.steps, env);
    if (asked.join() !== 'reload caddy') throw new Error(`systemd was asked to ${asked.join()}`);
    return byName(await listening(port, startChild('caddy', ['run', '--config', machine.here('/etc/caddy/Caddyfile')], env)));
  },
};
