import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { portOf } from './stores.ts';

export const FAULTS = [
  '503',
  'reset before',
  'reset after',
  'stall',
  'truncated request',
  'truncated answer',
  'corrupted request',
] as const;

type Fault = (typeof FAULTS)[number];

/** A proxy before a store that injects network faults. */
export interface FaultyProxy {
  readonly endpoint: string;
  /** Returns the fault of a request; undefined for no fault. */
  draw: (request: IncomingMessage) => Fault | undefined;
  /** Returns the headers with which a request reaches the store. */
  headersOf: (request: IncomingMessage) => IncomingMessage['headers'];
  /** The number of writes of each object at the store, by its path. */
  readonly puts: Map<string, number>;
  /** The number of requests with each fault. */
  readonly faults: Map<Fault, number>;
  requests: number;
  readonly stop: () => Promise<void>;
}

export async function startProxy(upstream: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(upstream);
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing).catch(() => outgoing.destroy()));

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    proxy.requests += 1;
    const fault = proxy.draw(incoming);
    if (fault !== undefined) proxy.faults.set(fault, (proxy.faults.get(fault) ?? 0) + 1);
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const body = Buffer.concat(pieces);
    if (fault === 'stall') return;
    if (fault === 'reset before') return void incoming.socket.resetAndDestroy();
    if (fault === '503') {
      outgoing.writeHead(503, { 'Content-Type': 'application/xml' });
      return void outgoing.end('<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>');
    }
    if (fault === 'corrupted request' && body.length > 0) body.writeUInt8((body.readUInt8(0) + 1) % 256, 0);
    const { status, headers, answer } = await forward(incoming, body, fault === 'truncated request' && body.length > 1);
    if (incoming.method === 'PUT' && status < 300) {
      const path = incoming.url?.split('?')[0] ?? '';
      proxy.puts.set(path, (proxy.puts.get(path) ?? 0) + 1);
    }
    if (fault === 'reset after') return void incoming.socket.resetAndDestroy();
    outgoing.writeHead(status, headers);
    if (fault === 'truncated answer' && answer.length > 1) {
      outgoing.write(answer.subarray(0, answer.length / 2), () => incoming.socket.destroy());
    } else outgoing.end(answer);
  }

  function forward(
    incoming: IncomingMessage,
    body: Buffer,
    isCut: boolean,
  ): Promise<{ readonly status: number; readonly headers: IncomingMessage['headers']; readonly answer: Buffer }> {
    const { method, url } = incoming;
    const headers = proxy.headersOf(incoming);
    return new Promise((resolve, reject) => {
      const onward = request({ hostname, port, method, path: url, headers }, async (answer) => {
        const pieces: Buffer[] = [];
        for await (const piece of answer) pieces.push(piece);
        const { 'transfer-encoding': _, ...headers } = answer.headers;
        resolve({ status: answer.statusCode ?? 502, headers, answer: Buffer.concat(pieces) });
      });
      onward.once('error', reject);
      if (isCut) onward.write(body.subarray(0, body.length / 2), () => onward.destroy(new Error('cut short')));
      else onward.end(body);
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${portOf(server)}`;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const proxy: FaultyProxy = {
    endpoint,
    draw: () => undefined,
    headersOf: ({ headers }) => headers,
    puts: new Map(),
    faults: new Map(),
    requests: 0,
    stop,
  };
  return proxy;
}
