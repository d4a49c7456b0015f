import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { STATIC_ORIGIN_STEPS } from '../../../src/rewrite/hosts/nginx-rules.ts';
import { type Child, freePort, listening } from '../child.ts';
import type { Trial } from '../subject.ts';
import { startDebianNginx } from './nginx-machine.ts';

/** The static origin from the files of a host, on Debian's nginx. */
export async function startNginxOrigin({ files, tree, work }: Pick<Trial, 'files' | 'tree' | 'work'>): Promise<{
  readonly port: number;
  readonly child: Child;
}> {
  const [unused, port] = [await freePort(), await freePort()];
  const folder = join(work, 'origin');
  mkdirSync(folder);
  const child = startDebianNginx({ files, tree, work: folder }, STATIC_ORIGIN_STEPS, unused, { '127.0.0.1:8080': `127.0.0.1:${port}` });
  await listening(port, child);
  return { port, child };
}
