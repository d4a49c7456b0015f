import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { bodyOf, type ObjectBody, type ObjectSource } from './object-source.ts';
import { networkCode, StorageError, storageErrorOf } from './storage-error.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 5;

/**
 * Returns the file at a URL as a source of one object.
 * @param name the URL without secrets
 */
export function webSource(url: string, name: string, userAgent: string): ObjectSource {
  const requests = new Set<ClientRequest>();
  return {
    name,
    kind: 'web',
    list: async () => ({ objects: [], next: undefined }),
    read: async (_, { from }, signal) => read(await get(url, { userAgent, from, signal, requests }), from),
    renew: () => {},
    close: () => {
      for (const one of requests) one.destroy();
    },
  };
}

interface GetOptions {
  readonly userAgent: string;
  readonly from: number;
  readonly signal: AbortSignal;
  /** The requests without a complete response. */
  readonly requests: Set<ClientRequest>;
}

/** Sends a GET request and follows redirects. */
async function get(url: string, options: GetOptions): Promise<IncomingMessage> {
  let address = new URL(url);
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(address, options);
    const { location } = response.headers;
    if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return response;
    response.destroy();
    if (redirects === MOST_REDIRECTS) throw new StorageError('refused', `more than ${MOST_REDIRECTS} redirects`);
    const next = URL.canParse(location, address.href) ? new URL(location, address) : undefined;
    const isSafe = next?.protocol === 'https:' || (next?.protocol === 'http:' && address.protocol === 'http:');
    if (next === undefined || !isSafe) throw new StorageError('refused', 'a redirect to an address without https');
    address = next;
  }
}

function send(url: URL, { userAgent, from, signal, requests }: GetOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // a range counts the bytes of the file, so the server must not compress it
    const headers = { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': userAgent };
    const range = from === 0 ? {} : { Range: `bytes=${from}-` };
    const sent = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, { headers: { ...headers, ...range } });
    const abort = () => sent.destroy(new StorageError('transient', 'no response in time'));
    signal.addEventListener('abort', abort);
    requests.add(sent);
    sent.once('close', () => {
      requests.delete(sent);
      signal.removeEventListener('abort', abort);
    });
    sent.once('error', (error) => reject(toStorageError(error)));
    sent.once('response', resolve);
    sent.end();
  });
}

function read(response: IncomingMessage, from: number): ObjectBody {
  const { statusCode = 0, statusMessage = '', headers } = response;
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  const isPart = statusCode === 206 && headers['content-range']?.startsWith(`bytes ${from}-`) === true;
  const refusal =
    statusCode !== 200 && !isPart
      ? storageErrorOf(statusCode, '', statusMessage)
      : // gzip is detected by the content, as in a file
        encoding !== 'identity' && !encoding.endsWith('gzip')
        ? new StorageError('refused', `the Content-Encoding ${encoding}, which was not requested`)
        : undefined;
  if (refusal !== undefined) {
    response.destroy();
    throw refusal;
  }
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  const bytes = bodyOf(response, length, toStorageError);
  return { bytes: isPart ? bytes : without(from, bytes), tag: headers.etag ?? headers['last-modified'] ?? '' };
}

/** Yields the bytes after the first ones: not every server supports ranges. */
async function* without(count: number, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const piece of bytes) {
    const skipped = Math.min(left, piece.length);
    left -= skipped;
    if (skipped < piece.length) yield skipped === 0 ? piece : piece.subarray(skipped);
  }
}

function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (!(error instanceof Error)) return new StorageError('refused', String(error));
  return storageErrorOf(undefined, networkCode(error) ?? ('code' in error ? String(error.code) : ''), error.message || String(error));
}
