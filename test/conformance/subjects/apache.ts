import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { host } from '../../../src/rewrite/hosts/apache.ts';
import { byName, freePort, listening, program, releaseFrom, startChild } from '../child.ts';
import { StockMachine } from '../stock-machine.ts';
import type { Subject } from '../subject.ts';

export const apache: Subject = {
  host,
  needs: program('apache2'),
  release: () => releaseFrom('apache2', ['-v'], /Apache\/([\d.]+)/),
  start: async ({ files, tree, work }) => {
    const port = await freePort();
    const machine = new StockMachine(
      'apache2',
      ['apache2'],
      { tree, work },
      { 'Listen 80': `Listen 127.0.0.1:${port}`, '*:80': `*:${port}` },
    );
    const folder = machine.here('/etc/apache2');
    const state = join(machine.root, 'state');
    mkdirSync(state);
    const asked = machine.install(files, host.steps, { APACHE_CONFDIR: folder, APACHE_STATE_DIRECTORY: state });
    if (asked.join() !== 'restart apache2') throw new Error(`systemd was asked to ${asked.join()}`);
    return byName(await listening(port, startChild('sh', ['-c', `. ${folder}/envvars; exec apache2 -d ${folder} -D FOREGROUND`])));
  },
};
