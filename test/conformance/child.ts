import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ask } from '../serve/exchange.ts';
import { type Requirement, requirement } from '../support/requirement.ts';
import type { Running } from './subject.ts';

/** The folder in .ci/servers for npm packages that are not part of the product. */
export const MODULES: string = fileURLToPath(new URL('../../.ci/servers/', import.meta.url));

/** Returns whether a program is on the path, and its modules are in Debian's folders. */
export function program(name: string, packages = name, modules: readonly string[] = []): Requirement {
  const isThere = () => spawnSync('which', [name]).status === 0 && modules.every((module) => existsSync(module));
  return requirement(`${name} (apt-get install ${packages}, or .ci/servers/install)`, isThere);
}

/** Returns whether .ci/servers contains a package. */
export function installed(name: string): Requirement {
  return requirement(`${name} (.ci/servers/install)`, () => existsSync(join(MODULES, 'node_modules', name)));
}

/** Returns the path of a file in a package of .ci/servers. */
export function inPackage(path: string): string {
  return join(MODULES, 'node_modules', path);
}

/** Returns the release of a package of .ci/servers. */
export function releaseOf(name: string): string {
  const { version }: { readonly version?: unknown } = JSON.parse(readFileSync(inPackage(`${name}/package.json`), 'utf8'));
  return String(version);
}

/** Returns the first match in a program's version output. */
export function releaseFrom(command: string, args: readonly string[], pattern: RegExp): string {
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 60_000 });
  const match = pattern.exec(stdout + stderr);
  if (match?.[1] === undefined) throw new Error(`${command} ${args.join(' ')} said ${stdout}${stderr}`);
  return match[1];
}

/** Returns a free port. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address === null || typeof address === 'string' ? 0 : address.port));
    });
  });
}

export interface Child {
  readonly process: ChildProcess;
  readonly stop: () => Promise<void>;
}

/** Starts a program that runs until it is stopped. If it exits earlier, its output is shown. */
export function startChild(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Child {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let stopping = false;
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.once('error', (error) => console.error(`${command}: ${error.message}`));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void ended.then(() => stopping || console.error(`${command} ended: ${said}`));
  const stop = async () => {
    stopping = true;
    child.kill('SIGTERM');
    const killer = globalThis.setTimeout(() => child.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(killer);
  };
  return { process: child, stop };
}

/** Returns a server on a local port as soon as it answers. */
export async function listening(port: number, ...children: readonly Child[]): Promise<Running> {
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => void (await Promise.all(children.map((child) => child.stop())));
  while ((await ask(url, '/').catch(() => undefined)) === undefined) {
    if (children.some(({ process }) => process.exitCode !== null || process.signalCode !== null)) {
      await stop();
      throw new Error(`nothing answers at ${url}`);
    }
    await setTimeout(50);
  }
  return { ask: (target, method, headers) => ask(url, target, method, headers), stop };
}

/** The host name in the base URL of every tree in these tests. */
export const SITE_NAME = 'history.example';

/** Returns a server whose requests have the host name of the site, as on a server with several sites. */
export function byName({ ask: askServer, ...running }: Running): Running {
  return { ...running, ask: (target, method, headers) => askServer(target, method, { Host: SITE_NAME, ...headers }) };
}
