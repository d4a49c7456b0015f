import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { Agent, createServer as createTlsServer, request as requestTls } from 'node:https';
import { setTimeout } from 'node:timers/promises';
import type { Certificate } from './certificate.ts';
import { portOf } from './stores.ts';

/** The response of a store to credentials that it no longer accepts. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A proxy before a store that records the credentials of requests and can reject requests. */
export interface Gate {
  readonly endpoint: string;
  /** The delay of every request in milliseconds, so that a run takes longer than its credentials last. */
  delay: number;
  /** Rejects requests before they reach the store. */
  refuse: (credentials: string, path: string) => Refusal | undefined;
  /** Replaces the store's error responses with those of another store. */
  reword: Refusal | undefined;
  /** The session or bearer tokens of the requests ('' without a token), with the number of rejected requests of each. */
  readonly seen: Map<string, { requests: number; refused: number }>;
  /** The paths that were written, in order. */
  readonly writes: string[];
  readonly stop: () => Promise<void>;
}

/** Starts the proxy before a store. With a certificate it uses TLS on both sides. */
export async function startGate(upstream: string, certificate?: Certificate): Promise<Gate> {
  const { hostname, port } = new URL(upstream);
  const agent = new Agent({ keepAlive: true });
  const listener: RequestListener = (incoming, outgoing) => void handle(incoming, outgoing).catch(() => outgoing.destroy());
  const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { headers, method, url: path = '' } = incoming;
    const { authorization = '' } = headers;
    const credentials = String(headers['x-amz-security-token'] ?? (authorization.startsWith('Bearer ') ? authorization : ''));
    const seen = gate.seen.get(credentials) ?? { requests: 0, refused: 0 };
    gate.seen.set(credentials, seen);
    seen.requests += 1;
    if (method === 'PUT') gate.writes.push(path);
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    if (gate.delay > 0) await setTimeout(gate.delay);
    const refusal = gate.refuse(credentials, path);
    if (refusal !== undefined) {
      seen.refused += 1;
      return turnAway(refusal, method, outgoing);
    }
    const options = { hostname, port, method, path, headers };
    const onward = certificate === undefined ? request(options) : requestTls({ ...options, agent, rejectUnauthorized: false });
    onward.once('error', () => outgoing.destroy());
    onward.once('response', (answer) => {
      const isRefused = answer.statusCode === 401 || answer.statusCode === 403;
      if (isRefused) seen.refused += 1;
      if (isRefused && gate.reword !== undefined) {
        answer.resume();
        return turnAway(gate.reword, method, outgoing);
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.end(Buffer.concat(pieces));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
      agent.destroy();
    });
  const scheme = certificate === undefined ? 'http' : 'https';
  const gate: Gate = {
    endpoint: `${scheme}://127.0.0.1:${portOf(server)}`,
    delay: 0,
    refuse: () => undefined,
    reword: undefined,
    seen: new Map(),
    writes: [],
    stop,
  };
  return gate;
}

/** A response to HEAD has no body with the reason. */
function turnAway({ status, headers, body }: Refusal, method: string | undefined, outgoing: ServerResponse): void {
  outgoing.writeHead(status, headers);
  outgoing.end(method === 'HEAD' ? undefined : body);
}

/** The number of credentials that were first accepted and later rejected. */
export function ranOut({ seen }: Gate): number {
  return [...seen.values()].filter(({ requests, refused }) => refused > 0 && refused < requests).length;
}
