import type { IncomingMessage } from 'node:http';
import { retryAfter } from '../http/backoff.ts';
import { HttpClient, MAX_REDIRECTS, type Redirect } from '../http/http-client.ts';
import { bodyOf, type ObjectBody, type ObjectSource } from './object-source.ts';
import { networkCode, StorageError, storageErrorOf } from './storage-error.ts';

/**
 * Returns the file at a URL as a source of one object.
 * @param name the URL without secrets
 */
export function webSource(url: string, name: string, userAgent: string): ObjectSource {
  // a range counts the bytes of the file, so the server must not compress it
  const client = new HttpClient({ headers: { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': userAgent }, redirect });
  return {
    name,
    kind: 'web',
    objects: async () => ({ objects: [], next: undefined }),
    read: async (_, from, signal) => {
      const response = await client.open(url, from === 0 ? {} : { Range: `bytes=${from}-` }, signal).catch((error: unknown) => {
        throw toStorageError(error);
      });
      return read(response, from);
    },
    renew: () => {},
    close: () => client.close(),
  };
}

function redirect({ from, to, isTooMany }: Redirect): string {
  if (isTooMany) throw new StorageError('refused', `more than ${MAX_REDIRECTS} redirects`);
  const isSafe = to?.protocol === 'https:' || (to?.protocol === 'http:' && from.startsWith('http:'));
  if (to === undefined || !isSafe) throw new StorageError('refused', 'a redirect to an address without https');
  return to.href;
}

function read(response: IncomingMessage, from: number): ObjectBody {
  const { statusCode = 0, statusMessage = '', headers } = response;
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  // the answer to a request without a range must be the whole file
  const isPart = from > 0 && statusCode === 206 && headers['content-range']?.startsWith(`bytes ${from}-`) === true;
  const refusal =
    statusCode !== 200 && !isPart
      ? storageErrorOf(statusCode, '', statusMessage, retryAfter(headers['retry-after'], Date.now()))
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
  return { bytes, from: isPart ? from : 0, tag: headers.etag ?? headers['last-modified'] ?? '' };
}

function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (!(error instanceof Error)) return new StorageError('refused', String(error));
  return storageErrorOf(undefined, networkCode(error) ?? ('code' in error ? String(error.code) : ''), error.message || String(error));
}
