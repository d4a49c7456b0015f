import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BROWSE_TYPES } from '../../../src/rewrite/resolve.ts';
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

/** Starts a static origin with the media types of a bucket: `publish` stores each browse file with its type. */
export async function startBucket(folder: string): Promise<Origin> {
  const origin = await startOrigin(folder);
  const ask: Origin['ask'] = async (target, method, headers) => {
    const found = await origin.ask(target, method, headers);
    const type = found.status === 200 ? BROWSE_TYPES[target.split('.').at(-1) ?? ''] : undefined;
    return type === undefined ? found : { ...found, headers: { ...found.headers, 'content-type': type } };
  };
  return { ...origin, ask };
}

/** Writes the address of an origin into a script of a host. */
export function nameOrigin(script: string, { url }: Origin): void {
  writeFileSync(script, readFileSync(script, 'utf8').replace(/(?<=^const TREE = ').*(?='; \/\/ <--)/m, url));
}

/** Returns the headers of a request that CloudFront passes on to a bucket. */
export function conditional(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name === 'If-None-Match'));
}
