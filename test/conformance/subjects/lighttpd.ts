import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { host } from '../../../src/rewrite/hosts/lighttpd.ts';
import { byName, freePort, listening, program, releaseFrom, startChild } from '../child.ts';
import { StockMachine } from '../stock-machine.ts';
import type { Subject } from '../subject.ts';

export const lighttpd: Subject = {
  host,
  needs: program('lighttpd'),
  release: () => releaseFrom('lighttpd', ['-v'], /lighttpd\/([\d.]+)/),
  start: async ({ files, tree, work }) => {
    const port = await freePort();
    const machine = new StockMachine(
      'lighttpd',
      ['lighttpd'],
      { tree, work },
      { 'server.port                 = 80': `server.port = ${port}` },
    );
    mkdirSync(join(machine.here('/var/cache/lighttpd'), 'uploads'));
    const asked = machine.install(files, host.steps);
    if (asked.join() !== 'restart lighttpd') throw new Error(`systemd was asked to ${asked.join()}`);
    return byName(await listening(port, startChild('lighttpd', ['-D', '-f', machine.here('/etc/lighttpd/lighttpd.conf')])));
  },
};
