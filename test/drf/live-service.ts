import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { isObject } from '../../src/contract/json.ts';
import type { Site } from '../../src/contract/site.ts';
import { requirement } from '../support/requirement.ts';
import { type Answered, headersOf } from './answered.ts';

/** The Python of the system. Another Python on the PATH does not find the packages of the system. */
const PYTHON = '/usr/bin/python3';
const SERVICE = fileURLToPath(new URL('service.py', import.meta.url));

/** The requirement of tests against a live service. */
export const drf = requirement(
  `Django REST Framework for ${PYTHON} (apt-get install python3-djangorestframework)`,
  () => spawnSync(PYTHON, ['-c', 'import django, rest_framework'], { timeout: 60_000 }).status === 0,
);

export interface LiveService {
  /** The address of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** The release of Django REST Framework, such as `3.14.0`. */
  readonly release: string;
  /** Sends a request with an exact target (path and query). No client normalizes it. */
  readonly ask: (
    target: string,
    method?: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answered & { readonly location: string | undefined }>;
  /** Stops it before the end of the test. */
  readonly stop: () => Promise<void>;
}

/** Starts a service with the items of an NDJSON file. It ends with the test. */
export async function startService(ndjson: string, database: string, sizes: Omit<Site, 'base_url'>): Promise<LiveService> {
  const child = spawn(PYTHON, [SERVICE, database, ndjson, String(sizes.page_size), String(sizes.account_page_size)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  onTestFinished(stop);
  const failure = ended.then(([code]) => {
    throw new Error(`${SERVICE} exited with ${code}; see its output on standard error`);
  });
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), failure]);
  const { port, release } = parseReady(JSON.parse(String(line)));
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    release,
    ask: (target, method = 'GET', headers = {}) => ask(port, target, method, headers),
    stop,
  };
}

function parseReady(value: unknown): { readonly port: number; readonly release: string } {
  if (isObject(value) && typeof value['port'] === 'number' && typeof value['rest_framework'] === 'string') {
    return { port: value['port'], release: value['rest_framework'] };
  }
  throw new Error(`${SERVICE} printed an unexpected line: ${JSON.stringify(value)}`);
}

async function ask(port: number, path: string, method: string, more: Readonly<Record<string, string>>): ReturnType<LiveService['ask']> {
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { accept: 'application/json', ...more }, agent: false }).end();
  const message = await new Promise<IncomingMessage>((resolve, reject) => sent.once('response', resolve).once('error', reject));
  const { statusCode: status = 0, headers } = message;
  const body = await buffer(message);
  if (status >= 500) throw new Error(`the service failed at ${method} ${path} with ${status}; see its output on standard error`);
  const get = (name: string) => headers[name.toLowerCase()]?.toString();
  return { status, headers: headersOf(get), body, location: headers.location };
}
