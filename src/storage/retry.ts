import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../contract/failure.ts';
import { stopped } from '../contract/pauses.ts';
import { StorageError, type StorageErrorKind } from './storage-error.ts';
import type { Target } from './target.ts';

/** The limits for retries of a request. */
export interface RetryPolicy {
  /** The most attempts of one request. */
  readonly attempts: number;
  /** The timeout of one attempt in milliseconds. A larger object gets additional time at 100 kB/s. */
  readonly timeout: number;
  /** Aborted when no further attempt must begin. */
  readonly signal: AbortSignal;
  /** The state of everything after an abort, for the message. */
  readonly kept?: string;
  /** Waits before every attempt until it is permitted. The returned signal is aborted when the permission ends. */
  readonly beforeAttempt?: () => Promise<AbortSignal>;
}

/** Counts requests and the bytes sent. */
export class RequestCounter {
  writes = 0;
  reads = 0;
  deletes = 0;
  /** How many of these requests were retries. */
  retries = 0;
  /** The bytes of the objects that were sent, after compression. */
  sent = 0;

  get requests(): number {
    return this.writes + this.reads + this.deletes;
  }
}

/** Milliseconds before the second attempt. Doubled for each further attempt up to the maximum, then with full jitter. */
const BASE_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
const MIN_BYTES_PER_MS = 100;

/**
 * Returns a target that retries each request after a transient error, with exponential backoff and full jitter.
 * All requests are idempotent: each reads, writes or removes one whole object.
 */
export function withRetry(target: Target, retryPolicy: RetryPolicy, traffic: RequestCounter): Target {
  const { kept = 'requests in progress are complete' } = retryPolicy;
  async function retry<T>(
    kind: 'reads' | 'writes' | 'deletes',
    path: string,
    request: (signal: AbortSignal) => Promise<T>,
    bytes = 0,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      if (retryPolicy.signal.aborted) throw stopped(kept);
      const permission = await retryPolicy.beforeAttempt?.();
      try {
        traffic[kind] += 1;
        traffic.sent += bytes;
        return await withTimeout(retryPolicy.timeout + bytes / MIN_BYTES_PER_MS, permission, request);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        if (error.kind !== 'transient') throw error;
        if (retryPolicy.signal.aborted) throw stopped(kept);
        if (attempt >= retryPolicy.attempts) throw toFailure(target, path, error, attempt);
        traffic.retries += 1;
        const delay = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
        await wait(Math.random() * delay, undefined, { signal: retryPolicy.signal }).catch(() => {});
      }
    }
  }
  return {
    name: target.name,
    prices: target.prices,
    keepsHeaders: target.keepsHeaders,
    get: (path) => retry('reads', path, (signal) => target.get(path, signal)),
    head: (path) => retry('reads', path, (signal) => target.head(path, signal)),
    put: (path, upload, _, condition) =>
      retry('writes', path, (signal) => target.put(path, upload, signal, condition), upload.bytes.length),
    remove: (path) => retry('deletes', path, (signal) => target.remove(path, signal)),
    renew: () => target.renew(),
    close: () => target.close(),
  };
}

/** Limits the time of a request, even if its client ignores the timeout, and ends it when its permission ends. */
async function withTimeout<T>(
  milliseconds: number,
  permission: AbortSignal | undefined,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let end: (why: string) => void = () => {};
  const late = new Promise<never>((_, fail) => {
    end = (why) => {
      fail(new StorageError('transient', why));
      controller.abort();
    };
  });
  const timer = setTimeout(() => end(`no response within ${Math.round(milliseconds / 100) / 10} s`), milliseconds);
  const expire = () => end('the lease of this run expired without a heartbeat');
  permission?.addEventListener('abort', expire);
  try {
    return await Promise.race([request(controller.signal), late]);
  } finally {
    clearTimeout(timer);
    permission?.removeEventListener('abort', expire);
  }
}

const HINTS: { readonly [K in StorageErrorKind]: string } = {
  transient: 'check the network and the target, then run the same command again',
  expired: 'get new credentials, then run the same command again',
  conflict: 'make sure that no other program writes there, then run the same command again',
  unsupported: 'check the address of the store and --endpoint',
  anonymous:
    'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; at Azure AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY, or AZURE_STORAGE_CONNECTION_STRING; docs/publish.md describes the other ways',
  denied: 'check the credentials and their permissions: read, write, delete and list (without list, S3 answers 403 for a missing object)',
  missing: 'create the bucket or container first, and check --endpoint and --region',
  refused: 'check the address, --endpoint and --region',
};

/** Converts a StorageError to a Failure with the path and a hint. */
export function toFailure(target: Pick<Target, 'name'>, path: string, storageError: StorageError, attempts = 1): Failure {
  const isDenied = storageError.kind === 'denied' || storageError.kind === 'anonymous' || storageError.kind === 'expired';
  return new Failure(isDenied ? 'target-denied' : 'target-failed', `${target.name} did not carry out a request`, {
    place: { file: path },
    expected: isDenied ? 'credentials that allow it' : 'a response that confirms it',
    found: attempts === 1 ? storageError.message : `${storageError.message} (tried ${attempts} times)`,
    hint: HINTS[storageError.kind],
    cause: storageError,
  });
}

/** Makes a request and converts its StorageError, if any, to a Failure. */
export async function wrapErrors<T>(target: Pick<Target, 'name'>, path: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw error instanceof StorageError ? toFailure(target, path, error) : error;
  }
}
