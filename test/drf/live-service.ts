import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import type { Site } from '../../src/contract/site.ts';
import { ask } from '../serve/exchange.ts';
import { requirement } from '../support/requirement.ts';

/** The Python of the system. Another Python on the PATH does not find the packages of the system. */
const PYTHON = '/usr/bin/python3';
const SERVICE = fileURLToPath(new URL('service.py', import.meta.url));

/** The requirement of tests against a live service. */
export const drf = requirement(
  `Django REST Framework for ${PYTHON} (apt-get install python3-djangorestframework)`,
  () => spawnSync(PYTHON, ['-c', 'import django, rest_framework'], { timeout: 60_000 }).status === 0,
);

/** The response of the live service or of a tree. */
export interface Answered {
  readonly status: number;
  /** The headers that the interface defines, as lines. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Returns the headers that the interface defines, as lines. */
export function headersOf(get: (name: string) => unknown): string[] {
  return ['Content-Type', 'Vary', 'Allow'].map((name) => `${name}: ${get(name)}`);
}

/** Expects the same status, headers and bytes in our response and in that of the live service. */
export function expectSame(ours: Answered, theirs: Answered, request: string): void {
  expect([ours.status, ...ours.headers], request).toEqual([theirs.status, ...theirs.headers]);
  if (ours.body.equals(theirs.body)) return;
  const different = ours.body.findIndex((byte, index) => byte !== theirs.body[index]);
  const at = different === -1 ? ours.body.length : different;
  // Latin-1 shows every byte as one character
  const around = (body: Buffer) => body.subarray(Math.max(0, at - 60), at + 60).toString('latin1');
  expect(around(ours.body), `${request}: around byte ${at}`).toBe(around(theirs.body));
}

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
  /** Stops it before its end. */
  readonly stop: () => Promise<void>;
}

/** Starts a service with the items of an NDJSON file. It ends with the test, or when `onEnd` calls its argument. */
export async function startService(
  ndjson: string,
  database: string,
  sizes: Omit<Site, 'base_url'>,
  onEnd: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<LiveService> {
  const child = spawn(PYTHON, [SERVICE, database, ndjson, String(sizes.page_size), String(sizes.account_page_size)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  onEnd(stop);
  const failure = ended.then(([code]) => {
    throw new Error(`${SERVICE} exited with ${code}; see its output on standard error`);
  });
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), failure]);
  const { port, rest_framework } = JSON.parse(String(line));
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    baseUrl,
    release: String(rest_framework),
    ask: async (target, method = 'GET', more = {}) => {
      const { status, headers, body } = await ask(baseUrl, target, method, { accept: 'application/json', ...more });
      if (status >= 500) throw new Error(`the service failed at ${method} ${target} with ${status}; see its output on standard error`);
      return { status, headers: headersOf((name) => headers[name.toLowerCase()]), body, location: headers.location };
    },
    stop,
  };
}
