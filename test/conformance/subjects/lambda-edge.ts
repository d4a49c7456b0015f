import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../../src/contract/json.ts';
import { host } from '../../../src/rewrite/hosts/lambda-edge.ts';
import type { Exchange } from '../../serve/exchange.ts';
import type { Subject } from '../subject.ts';
import { conditional, nameOrigin, startBucket } from './static-origin.ts';

type Handler = (event: object) => Promise<{ readonly [key: string]: unknown }>;

export const lambdaEdge: Subject = {
  host,
  needs: { skip: false, reason: '' },
  release: () => `Node.js ${process.versions.node}`,
  start: async ({ files, tree }) => {
    const handler = await handlerIn(join(files, 'index.mjs'));
    const origin = await startBucket(tree);

    const ask = async (target: string, method = 'GET', sent: Readonly<Record<string, string>> = {}): Promise<Exchange> => {
      const [uri = '', querystring = ''] = target.split(/\?(.*)/s);
      const accept = sent['Accept'];
      const asked = accept === undefined ? {} : { accept: [{ key: 'Accept', value: accept }] };
      const request = { method, uri, querystring, headers: asked, clientIp: '127.0.0.1' };
      const answered = await handler({ Records: [{ cf: { config: { eventType: 'viewer-request' }, request } }] });
      if ('status' in answered) return exchange(answered, Buffer.from(method === 'HEAD' ? '' : String(answered['body'] ?? '')));
      const found = await origin.ask(String(answered['uri']), method, conditional(sent));
      const headers = Object.fromEntries(Object.entries(found.headers).map(([key, value]) => [key, [{ key, value: String(value) }]]));
      const response = { status: String(found.status), statusDescription: '', headers };
      const completed = await handler({ Records: [{ cf: { config: { eventType: 'origin-response' }, request: answered, response } }] });
      return exchange(
        completed,
        typeof completed['body'] === 'string' ? Buffer.from(method === 'HEAD' ? '' : completed['body']) : found.body,
      );
    };
    return { ask, stop: origin.child.stop };
  },
  startWithVersions: async ({ files, tree }) => {
    const origin = await startBucket(tree);
    nameOrigin(join(files, 'index.mjs'), origin);
    const handler = await handlerIn(join(files, 'index.mjs'));
    const ask = async (target: string, method = 'GET', sent: Readonly<Record<string, string>> = {}): Promise<Exchange> => {
      const [uri = '', querystring = ''] = target.split(/\?(.*)/s);
      const headers = Object.fromEntries(Object.entries(sent).map(([key, value]) => [key.toLowerCase(), [{ key, value }]]));
      const request = { method, uri, querystring, headers, clientIp: '127.0.0.1' };
      const answered = await handler({ Records: [{ cf: { config: { eventType: 'origin-request' }, request } }] });
      return exchange(answered, Buffer.from(String(answered['body'] ?? '')));
    };
    return { ask, stop: origin.child.stop };
  },
};

async function handlerIn(file: string): Promise<Handler> {
  const loaded: unknown = await import(/* @vite-ignore */ pathToFileURL(file).href);
  const handler: unknown = isObject(loaded) ? loaded['handler'] : undefined;
  if (typeof handler !== 'function') throw new Error(`${file} exports no handler`);
  return async (event) => {
    const value: unknown = await handler(event);
    if (isObject(value)) return value;
    throw new Error(`${file} answered ${JSON.stringify(value)}`);
  };
}

function exchange(answered: { readonly [key: string]: unknown }, body: Buffer): Exchange {
  const headers: unknown = answered['headers'];
  if (!isObject(headers)) throw new Error(`no headers: ${JSON.stringify(answered)}`);
  const plain = Object.entries(headers).map(([name, values]) => [
    name,
    Array.isArray(values) && isObject(values[0]) ? String(values[0]['value']) : '',
  ]);
  return { status: Number(answered['status']), headers: Object.fromEntries(plain), body };
}
