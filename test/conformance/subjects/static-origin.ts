import { fileURLToPath } from 'node:url';
import { type Child, freePort, listening, startChild } from '../child.ts';
import type { Running } from '../subject.ts';

const HTTP_SERVER = fileURLToPath(new URL('../../../node_modules/http-server/bin/http-server', import.meta.url));

/** A static file server without rewrite rules, as the origin of a host. */
export interface Origin {
  readonly port: number;
  readonly url: string;
  readonly ask: Running['ask'];
  readonly child: Child;
}

export async function startOrigin(folder: string): Promise<Origin> {
  const port = await freePort();
  const args = [HTTP_SERVER, folder, '-a', '127.0.0.1', '-p', String(port), '-c0', '-d', 'false', '-g', '-b', '-s'];
  const child = startChild(process.execPath, args);
  const { ask } = await listening(port, child);
  return { port, url: `http://127.0.0.1:${port}`, ask, child };
}
