import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { isObject } from '../../../src/contract/json.ts';
import { SITE_NAME } from '../child.ts';

/** A page in headless Chromium, controlled through the two pipes of its DevTools protocol. */
export interface Page {
  /** Evaluates an expression, awaits promises, and returns the value as JSON. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  /** Opens an address, follows redirects, and returns the final address and its content. */
  readonly visit: (url: string) => Promise<{ readonly url: string; readonly text: string }>;
  readonly close: () => Promise<void>;
}

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const QUIET = ['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--remote-debugging-pipe'];

/** Resolves the host name of the test site to this machine, without TLS. */
const SITE = [`--host-resolver-rules=MAP ${SITE_NAME} 127.0.0.1`, '--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable'];

/** Opens an address. @param profile an empty folder */
export async function openPage(profile: string, url: string): Promise<Page> {
  const child = spawn('chromium', [...FLAGS, ...QUIET, ...SITE, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const connection = new Connection(child.stdio[3], child.stdio[4]);
  const target = await connection.send('Target.createTarget', { url });
  const { sessionId } = await connection.send('Target.attachToTarget', { targetId: target['targetId'], flatten: true });
  const evaluate = async (expression: string): Promise<unknown> => {
    const parameters = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await connection.send('Runtime.evaluate', parameters, String(sessionId));
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return isObject(result) ? result['value'] : undefined;
  };
  const visit = async (address: string) => {
    const { errorText } = await connection.send('Page.navigate', { url: address }, String(sessionId));
    if (errorText !== undefined) throw new Error(`${address}: ${errorText}`);
    for (let tries = 200; tries > 0; tries -= 1) {
      const state = await evaluate('document.readyState + " " + location.href').catch(String);
      if (state !== 'complete about:blank' && String(state).startsWith('complete ')) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return { url: String(await evaluate('location.href')), text: String(await evaluate('document.body.textContent')) };
  };
  const close = async () => {
    await connection.send('Browser.close', {});
    await ended;
  };
  await loaded(evaluate, url);
  return { evaluate, visit, close };
}

/** Waits until the page is loaded. Earlier evaluations would run in the empty page that it replaces. */
async function loaded(evaluate: Page['evaluate'], url: string): Promise<void> {
  for (let tries = 200; tries > 0; tries -= 1) {
    const state = await evaluate('location.href + " " + document.readyState').catch(String);
    if (state === `${url} complete`) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not load`);
}

type Message = { readonly [key: string]: unknown };

/** Sends commands and receives answers as JSON, each terminated by a zero byte. */
class Connection {
  readonly #out: Writable;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #id = 0;

  constructor(out: unknown, back: unknown) {
    if (!isWritable(out) || !isReadable(back)) throw new Error('no pipes to Chromium');
    this.#out = out;
    let rest = '';
    back.setEncoding('utf8').on('data', (text: string) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop() ?? '';
      for (const message of messages) this.#receive(JSON.parse(message));
    });
  }

  send(method: string, params: object, sessionId?: string): Promise<Message> {
    this.#id += 1;
    const id = this.#id;
    this.#out.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        if (isObject(result)) resolve(result);
        else reject(new Error(`${method}: ${JSON.stringify(error)}`));
      });
    });
  }

  #receive(message: unknown): void {
    if (isObject(message) && typeof message['id'] === 'number') this.#waiting.get(message['id'])?.(message);
  }
}

function isWritable(stream: unknown): stream is Writable {
  return typeof stream === 'object' && stream !== null && 'write' in stream;
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === 'object' && stream !== null && 'setEncoding' in stream;
}
