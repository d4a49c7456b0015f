import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { bytesReceived, type Exchange, headOf, type RecordExchange } from './exchange.ts';

export interface HttpOptions {
  /** The headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The maximum number of connections to one server; by default, any number. */
  readonly connections?: number;
  /** A request fails after this number of milliseconds without a byte; by default, only its signal ends it. */
  readonly timeout?: number;
  /** The maximum number of milliseconds for a whole response; a slower one is a BadResponse. By default, there is no limit. */
  readonly maxTime?: number | undefined;
  /** Called every 30 seconds during an answer, with the bytes received so far and the milliseconds since the request. */
  readonly onSlow?: ((url: string, bytes: number, time: number) => void) | undefined;
  /** The minimum number of milliseconds from the start of one request to the start of the next; by default 0. */
  readonly delay?: number;
  /** Returns the address to which a redirect leads. Throws if the redirect is not followed. */
  readonly redirect: (redirect: Redirect) => string;
  /** Called with every exchange of {@link HttpClient.get} that has a response, even an error, a redirect or one that was cut short, before the response is processed. */
  readonly record?: RecordExchange | undefined;
}

export interface Redirect {
  readonly from: string;
  /** Undefined if the address is not valid. */
  readonly to: URL | undefined;
  /** The address as it was sent. */
  readonly location: string;
  /** Whether {@link MAX_REDIRECTS} came before. */
  readonly isTooMany: boolean;
}

export interface HttpAnswer {
  readonly url: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: IncomingMessage['headers'];
  /** The body as it was sent. */
  readonly sent: Buffer;
  /** Returns the body without its Content-Encoding. */
  readonly body: () => Buffer;
}

/** A response that is not one to the request. */
export class BadResponse extends Error {}

/** A request and the start of its response. */
interface Started {
  readonly request: ClientRequest;
  readonly startedAt: number;
  readonly message: IncomingMessage;
  /** The bytes of the response, added when the connection receives them. */
  readonly wire: readonly Buffer[];
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
export const MAX_REDIRECTS = 5;
const SLOW_MS = 30_000;
/** The maximum size of a body that is kept in memory, in bytes: several hundred times that of a page with 100 accounts. */
const MAX_BYTES = 1 << 27;

/** Sends GET requests, with a delay between their starts, and follows redirects. */
export class HttpClient {
  readonly #options: HttpOptions;
  readonly #agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
  #nextStart = 0;
  /** The number of requests that were sent, and of bytes in the answers of {@link get}. */
  requests = 0;
  received = 0;

  constructor(options: HttpOptions) {
    this.#options = options;
    const pool = { keepAlive: true, maxSockets: options.connections ?? Number.POSITIVE_INFINITY };
    this.#agents = { http: new HttpAgent(pool), https: new HttpsAgent(pool) };
  }

  /**
   * Returns a response with its whole body.
   * @throws the network's error; BadResponse for a body that is too long
   */
  async get(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpAnswer> {
    for (let [address, redirects] = [url, 0]; ; redirects += 1) {
      const started = await this.#send(address, headers, signal);
      const { exchange, error } = await this.#exchange(address, started);
      await this.#options.record?.(exchange);
      if (error !== undefined) throw error;
      const { status, body: sent } = exchange;
      const { headers: found } = started.message;
      if (!isRedirect(started.message)) {
        return { url: address, status, headers: found, sent, body: () => decoded(sent, found['content-encoding']) };
      }
      address = this.#redirected(address, found.location, redirects);
    }
  }

  /**
   * Returns the start of a response. The caller reads its body.
   * @param signal ends the request
   * @throws the network's error
   */
  async open(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
    for (let [address, redirects] = [url, 0]; ; redirects += 1) {
      const { message } = await this.#send(address, headers, signal);
      if (!isRedirect(message)) return message;
      message.destroy();
      address = this.#redirected(address, message.headers.location, redirects);
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  #redirected(from: string, location = '', redirects: number): string {
    const to = URL.canParse(location, from) ? new URL(location, from) : undefined;
    return this.#options.redirect({ from, to, location, isTooMany: redirects >= MAX_REDIRECTS });
  }

  /** Sends a request. Ends with the start of its response. */
  async #send(url: string, extra: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Started> {
    await this.#pause(signal);
    const { timeout = 0, maxTime, onSlow, record } = this.#options;
    // with Connection, this is the complete list of the headers that are sent
    const headers = { ...this.#options.headers, Connection: 'keep-alive', ...extra };
    const startedAt = Date.now();
    this.requests += 1;
    return await new Promise((resolve, reject) => {
      const request = url.startsWith('https:')
        ? httpsRequest(url, { agent: this.#agents.https, headers, signal, timeout })
        : httpRequest(url, { agent: this.#agents.http, headers, signal, timeout });
      const wire = record === undefined ? [] : bytesReceived(request);
      const limit = maxTime === undefined ? undefined : setTimeout(() => request.destroy(tooSlow(maxTime)), maxTime);
      let received = () => 0;
      request.once('socket', (socket) => {
        // the connection may have served requests before
        const before = socket.bytesRead;
        received = () => socket.bytesRead - before;
      });
      const slow = onSlow && setInterval(() => onSlow(url, received(), Date.now() - startedAt), SLOW_MS);
      request.once('close', () => {
        clearTimeout(limit);
        clearInterval(slow);
      });
      request.once('timeout', () => request.destroy(timedOut(timeout)));
      request.on('error', reject);
      request.once('response', (message) => resolve({ request, startedAt, message, wire }));
      request.end();
    });
  }

  /** Reads the body of a response. Returns the exchange, and the error that cut it short. */
  #exchange(url: string, { request, startedAt, message, wire }: Started): Promise<{ readonly exchange: Exchange; readonly error?: Error }> {
    const remoteAddress = message.socket.remoteAddress;
    const pieces: Buffer[] = [];
    let length = 0;
    return new Promise((resolve) => {
      message.on('data', (piece: Buffer) => {
        pieces.push(piece);
        length += piece.length;
        this.received += piece.length;
        if (length > MAX_BYTES) message.destroy(new BadResponse(`an answer of more than ${MAX_BYTES} bytes`));
      });
      const finish = (error?: Error) => {
        // a copy of a body that is too long would double the memory
        const body = error === undefined ? Buffer.concat(pieces) : Buffer.alloc(0);
        pieces.length = 0;
        const status = message.statusCode ?? 0;
        const truncated = error && reasonOf(error);
        const exchange = { url, startedAt, remoteAddress, request: headOf(request), response: wire, status, body, truncated };
        resolve(error === undefined ? { exchange } : { exchange, error });
      };
      // an error of the request cuts the response short
      request.once('error', finish);
      message.once('error', finish);
      message.once('end', finish);
    });
  }

  /** Waits until the next request may start, one delay after the request before it, even if several are made at once. */
  async #pause(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const start = Math.max(now, this.#nextStart);
    this.#nextStart = start + (this.#options.delay ?? 0);
    if (start > now) await wait(start - now, undefined, { signal });
  }
}

function isRedirect({ statusCode = 0, headers: { location } }: IncomingMessage): boolean {
  return REDIRECTS.has(statusCode) && location !== undefined;
}

function timedOut(timeout: number): Error {
  return Object.assign(new Error(`no answer within ${timeout / 1000} s`), { code: 'ETIMEDOUT' });
}

function tooSlow(maxTime: number): Error {
  return Object.assign(new BadResponse(`an answer that takes longer than ${maxTime / 1000} s`), { code: 'ETIMEDOUT' });
}

/** Why an error cut a response short. */
function reasonOf(error: Error): Exchange['truncated'] {
  if ('code' in error && error.code === 'ETIMEDOUT') return 'time';
  return error instanceof BadResponse ? 'length' : 'disconnect';
}

function decoded(sent: Buffer, contentEncoding: string | undefined): Buffer {
  const encoding = contentEncoding?.toLowerCase();
  if (encoding === undefined || encoding === 'identity' || sent.length === 0) return sent;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw new BadResponse(`Content-Encoding ${encoding}, which was not requested`);
  try {
    return gunzipSync(sent, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    throw new BadResponse(`damaged gzip data: ${error instanceof Error ? error.message : String(error)}`);
  }
}
