import { fileURLToPath } from 'node:url';
import { type Child, freePort, startChild } from '../child.ts';

const HTTP_SERVER = fileURLToPath(new URL('../../../node_modules/http-server/bin/http-server', import.meta.url));

/** A server of static files that knows nothing of pages, for a proxy to stand before. */
export async function startOrigin(tree: string): Promise<{ readonly port: number; readonly child: Child }> {
  const port = await freePort();
  const child = startChild(process.execPath, [
    HTTP_SERVER,
    tree,
    '-a',
    '127.0.0.1',
    '-p',
    String(port),
    '-c-1',
    '-d',
    'false',
    '-g',
    '-b',
    '-s',
  ]);
  return { port, child };
}
