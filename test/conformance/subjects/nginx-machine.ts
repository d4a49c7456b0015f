import { join } from 'node:path';
import { type Child, startChild } from '../child.ts';
import { StockMachine } from '../stock-machine.ts';
import type { Trial } from '../subject.ts';

/** Returns the path of a module on Debian. */
export function pathOf(name: string): string {
  return `/usr/lib/nginx/modules/ngx_http_${name}_module.so`;
}

/**
 * Runs Debian's nginx with a host's files.
 * @param port the one that stands for port 80
 * @param changes of the host's files, beside paths and ports
 */
export function startDebianNginx(
  { files, tree, work }: Pick<Trial, 'files' | 'tree' | 'work'>,
  steps: readonly string[],
  port: number,
  changes: Readonly<Record<string, string>> = {},
): Child {
  const machine = new StockMachine(
    'nginx',
    ['nginx-common'],
    { tree, work },
    {
      'listen 80': `listen 127.0.0.1:${port}`,
      'listen [::]:80': `listen [::1]:${port}`,
      '# brotli_static on;': 'brotli_static on;',
      ...changes,
    },
  );
  const main = ['-e', join(machine.root, 'error.log'), '-c', machine.here('/etc/nginx/nginx.conf')];
  machine.command('nginx', `exec /usr/sbin/nginx ${main.join(' ')} "$@"`);
  const asked = machine.install(files, steps);
  if (asked.join() !== 'reload nginx') throw new Error(`systemd was asked to ${asked.join()}`);
  return startChild('nginx', [...main, '-g', 'daemon off;']);
}
