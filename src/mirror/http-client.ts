import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Failure } from '../contract/failure.ts';
import type { Exchange, RecordExchange } from './exchange.ts';
import { BadPage } from './service-page.ts';

export interface HttpOptions {
  readonly baseUrl: string;
  readonly userAgent: string;
  /** The minimum number of milliseconds from the start of one request to the start of the next. */
  readonly delay: number;
  /** The maximum number of connections. */
  readonly concurrency: number;
  /** A request fails after this number of milliseconds without a byte. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly record?: RecordExchange | undefined;
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

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;
/** The maximum size of a page, in bytes. A page is kept in memory. */
const MAX_PAGE_BYTES = 1 << 28;

/** An exchange, and the error that cut its response short. */
interface Answered {
  readonly exchange: Exchange;
  readonly headers: IncomingMessage['headers'];
  readonly error: Error | undefined;
}

/** Sends GET requests to one service, with a delay between their starts, and records every exchange. */
export class HttpClient {
  readonly #options: HttpOptions;
  readonly #agent: HttpAgent;
  readonly #base: URL;
  #nextStart = 0;
  /** The number of requests that were sent, and of bytes in their answers. */
  requests = 0;
  received = 0;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#base = new URL(`${options.baseUrl}/`);
    const pool = { keepAlive: true, maxSockets: options.concurrency };
    this.#agent = this.#base.protocol === 'https:' ? new HttpsAgent(pool) : new HttpAgent(pool);
  }

  /**
   * @throws the network's error; Failure bad-service for a redirect that leaves the service
   */
  async get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    let address = url;
    for (let redirects = 0; ; redirects += 1) {
      const { exchange, headers: found, error } = await this.#exchange(address, headers);
      await this.#options.record?.(exchange);
      if (error !== undefined) throw error;
      const { status, body: sent } = exchange;
      const { location } = found;
      if (!REDIRECTS.has(status) || location === undefined) {
        return { url: address, status, headers: found, sent, body: () => decoded(sent, found['content-encoding']) };
      }
      address = this.#redirected(address, location, redirects);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #redirected(from: string, location: string, redirects: number): string {
    const url = URL.canParse(location, from) ? new URL(location, from) : undefined;
    const isHere = url?.origin === this.#base.origin && url.pathname.startsWith(this.#base.pathname);
    if (url !== undefined && isHere && redirects < MAX_REDIRECTS) return url.href;
    throw new Failure('bad-service', 'a redirect is not followed', {
      place: { file: from },
      expected: isHere ? `at most ${MAX_REDIRECTS} redirects` : `an address below ${this.#base.href}`,
      found: location,
      hint: isHere
        ? 'report the redirects to the operator of the service'
        : 'if the service moved to that address, mirror that address instead',
    });
  }

  /** @throws the network's error, if no response began */
  async #exchange(url: string, extra: Readonly<Record<string, string>>): Promise<Answered> {
    await this.#pause();
    const { userAgent, timeout, signal, record } = this.#options;
    // with Connection, this is the complete list of the headers that are sent
    const headers = { Accept: 'application/json', 'Accept-Encoding': 'gzip', 'User-Agent': userAgent, Connection: 'keep-alive', ...extra };
    const startedAt = Date.now();
    this.requests += 1;
    return await new Promise((resolve, reject) => {
      const open = this.#base.protocol === 'https:' ? httpsRequest : httpRequest;
      const sent = open(url, { agent: this.#agent, headers, signal, timeout });
      sent.once('timeout', () => sent.destroy(timedOut(timeout)));
      sent.once('error', reject);
      const wire = record === undefined ? undefined : bytesReceived(sent);
      sent.once('response', (message) => {
        const remoteAddress = message.socket.remoteAddress;
        const pieces: Buffer[] = [];
        let length = 0;
        message.on('data', (piece: Buffer) => {
          pieces.push(piece);
          length += piece.length;
          this.received += piece.length;
          if (length > MAX_PAGE_BYTES) message.destroy(new BadPage(`an answer of more than ${MAX_PAGE_BYTES} bytes`));
        });
        const finish = (error?: Error) => {
          const [response, body] = [Buffer.concat(wire ?? []), Buffer.concat(pieces)];
          const truncated = error && reasonOf(error);
          const exchange = {
            url,
            startedAt,
            remoteAddress,
            request: headOf(sent),
            response,
            status: message.statusCode ?? 0,
            body,
            truncated,
          };
          resolve({ exchange, headers: message.headers, error });
        };
        // from now on an error of the request cuts the response short
        sent.off('error', reject).once('error', finish);
        message.once('error', finish);
        message.once('end', finish);
      });
      sent.end();
    });
  }

  /** Waits until the next request may start, one delay after the request before it, even if several are made at once. */
  async #pause(): Promise<void> {
    const now = performance.now();
    const start = Math.max(now, this.#nextStart);
    this.#nextStart = start + this.#options.delay;
    if (start > now) await wait(start - now, undefined, { signal: this.#options.signal });
  }
}

function timedOut(timeout: number): Error {
  return Object.assign(new Error(`no answer within ${timeout / 1000} s`), { code: 'ETIMEDOUT' });
}

/** Why an error cut a response short. */
function reasonOf(error: Error): Exchange['truncated'] {
  if (error instanceof BadPage) return 'length';
  return 'code' in error && error.code === 'ETIMEDOUT' ? 'time' : 'disconnect';
}

function decoded(sent: Buffer, contentEncoding: string | undefined): Buffer {
  const encoding = contentEncoding?.toLowerCase();
  if (encoding === undefined || encoding === 'identity' || sent.length === 0) return sent;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw new BadPage(`Content-Encoding ${encoding}, which was not requested`);
  try {
    return gunzipSync(sent, { maxOutputLength: MAX_PAGE_BYTES });
  } catch (error) {
    throw new BadPage(`damaged gzip data: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns a list to which the bytes of the response are added when the connection receives them. */
function bytesReceived(sent: ClientRequest): Buffer[] {
  const pieces: Buffer[] = [];
  sent.once('socket', (socket) => {
    const take = (piece: Buffer) => void pieces.push(piece);
    // before the parser, because the parser ends the response while it reads the last piece
    socket.prependListener('data', take);
    sent.once('close', () => socket.off('data', take));
  });
  return pieces;
}

/** Returns the head of a request, as it was sent. */
function headOf(sent: ClientRequest): Buffer {
  const lines = sent.getRawHeaderNames().map((name) => `${name}: ${sent.getHeader(name)}`);
  return Buffer.from(`${[`${sent.method} ${sent.path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`, 'latin1');
}
