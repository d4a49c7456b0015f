import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

export const FAULTS = ['429', '502', '503', '500', 'reset before', 'reset after', 'truncated', 'cut JSON', 'HTML'] as const;

export type Fault = (typeof FAULTS)[number];

/** A proxy before a service that does to its answers what networks, caches and overloaded servers do. */
export interface FaultyProxy {
  readonly baseUrl: string;
  /** The port of the service. */
  upstream: number;
  /** Draws what happens to the next answer; undefined for nothing. Called before the request goes on. */
  draw: (target: string) => Fault | undefined | Promise<Fault | undefined>;
  /** Changes a body on its way. */
  change: (target: string, body: string) => string;
  /** The targets that were answered whole, in their order, with the status. */
  readonly answered: string[];
  readonly userAgents: Set<string | undefined>;
  /** Refuses connections, and closes those that are open, until it accepts them again. */
  readonly refuse: () => void;
  readonly accept: () => Promise<void>;
}

export async function startFaultyProxy(upstream: number): Promise<FaultyProxy> {
  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing).catch(() => outgoing.destroy()));

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const target = incoming.url ?? '';
    proxy.userAgents.add(incoming.headers['user-agent']);
    const fault = await proxy.draw(target);
    if (fault === 'reset before') return void incoming.socket.resetAndDestroy();
    if (fault === '429') return void outgoing.writeHead(429, { 'Retry-After': new Date(Date.now() - 1000).toUTCString() }).end();
    if (fault === '502') return void outgoing.writeHead(502).end('<html>bad gateway</html>');
    if (fault === '503') return void outgoing.writeHead(503, { 'Retry-After': '0' }).end('<html>down</html>');
    if (fault === '500') return void outgoing.writeHead(500).end('<html>error</html>');
    if (fault === 'HTML') return void outgoing.writeHead(200, { 'Content-Type': 'text/html' }).end('<!DOCTYPE html><title>wait</title>');
    const { status, headers, body } = await forward(incoming);
    if (fault === 'reset after') return void incoming.socket.resetAndDestroy();
    const changed = Buffer.from(proxy.change(target, body.toString()));
    if (fault === 'cut JSON')
      return void outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end(changed.subarray(0, changed.length / 2));
    outgoing.writeHead(status, { ...headers, 'content-length': String(changed.length) });
    if (fault === 'truncated') return void outgoing.write(changed.subarray(0, changed.length / 2), () => incoming.socket.destroy());
    proxy.answered.push(`${status} ${target}`);
    outgoing.end(changed);
  }

  function forward(incoming: IncomingMessage) {
    return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
      const { 'accept-encoding': _, connection: __, ...headers } = incoming.headers;
      const onward = request({ host: '127.0.0.1', port: proxy.upstream, path: incoming.url, headers, agent: false }, async (answer) => {
        const pieces: Buffer[] = [];
        for await (const piece of answer) pieces.push(piece);
        const { 'transfer-encoding': _, connection: __, ...kept } = answer.headers;
        resolve({ status: answer.statusCode ?? 502, headers: kept, body: Buffer.concat(pieces) });
      });
      onward.once('error', reject);
      onward.end();
    });
  }

  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const address = server.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const proxy: FaultyProxy = {
    baseUrl: `http://127.0.0.1:${port}`,
    upstream,
    draw: () => undefined,
    change: (_, body) => body,
    answered: [],
    userAgents: new Set(),
    refuse: () => {
      server.close();
      server.closeAllConnections();
    },
    accept: () => listen(port),
  };
  return proxy;
}
