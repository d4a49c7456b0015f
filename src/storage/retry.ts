import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../contract/failure.ts';
import { StorageError, type StorageErrorKind } from './storage-error.ts';
import type { Target } from './target.ts';

/** How long and how often a request is tried. */
export interface RetryPolicy {
  /** Tries of one request, at most. */
  readonly attempts: number;
  /** Milliseconds for one try; larger objects have as much more as they need at 100 kB/s. */
  readonly timeout: number;
  /** Says that nothing more is to be tried. */
  readonly signal: AbortSignal;
  /** Waits, before every try, until it may be made; what it gives says when it may be no more. */
  readonly beforeAttempt?: () => Promise<AbortSignal>;
}

/** What went over the wire. */
export class RequestCounter {
  writes = 0;
  reads = 0;
  deletes = 0;
  /** Of these, how many were made again. */
  retries = 0;
  /** Bytes of objects, as sent. */
  sent = 0;

  get requests(): number {
    return this.writes + this.reads + this.deletes;
  }
}

/** Milliseconds before the second try; doubled for each further one, up to the longest, and then drawn by lot. */
const BASE_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
const MIN_BYTES_PER_MS = 100;

/**
 * A place that does not give up at the first trouble: every request is made again, after a pause that
 * grows and is drawn by lot, so that many do not come back at the same moment. All requests can be:
 * each writes a whole object or removes one.
 */
export function withRetry(target: Target, retryPolicy: RetryPolicy, traffic: RequestCounter): Target {
  async function retry<T>(
    kind: 'reads' | 'writes' | 'deletes',
    path: string,
    request: (signal: AbortSignal) => Promise<T>,
    bytes = 0,
  ): Promise<T> {
    for (let tried = 1; ; tried += 1) {
      if (retryPolicy.signal.aborted) throw stopped(target);
      const leave = await retryPolicy.beforeAttempt?.();
      try {
        traffic[kind] += 1;
        traffic.sent += bytes;
        return await withTimeout(retryPolicy.timeout + bytes / MIN_BYTES_PER_MS, leave, request);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        if (error.kind !== 'transient') throw error;
        if (retryPolicy.signal.aborted) throw stopped(target);
        if (tried >= retryPolicy.attempts) throw toFailure(target, path, error, tried);
        traffic.retries += 1;
        const most = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (tried - 1));
        await wait(Math.random() * most, undefined, { signal: retryPolicy.signal }).catch(() => {});
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

/** Gives a request its time, also where its client forgets to look at the clock, and ends it with its leave. */
async function withTimeout<T>(
  milliseconds: number,
  leave: AbortSignal | undefined,
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
  const clock = setTimeout(() => end(`no answer within ${Math.round(milliseconds / 100) / 10} s`), milliseconds);
  const withdrawn = () => end('it could not be shown in time that this run lives');
  leave?.addEventListener('abort', withdrawn);
  try {
    return await Promise.race([request(controller.signal), late]);
  } finally {
    clearTimeout(clock);
    leave?.removeEventListener('abort', withdrawn);
  }
}

const HINTS: { readonly [K in StorageErrorKind]: string } = {
  transient: 'look at the network and the target, then run the same command again',
  expired: 'get new credentials, then run the same command again',
  conflict: 'make sure that nobody else writes there, then run the same command again',
  unsupported: 'see whether the store is reached at the right address, with --endpoint',
  anonymous:
    'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; at Azure AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY, or AZURE_STORAGE_CONNECTION_STRING; docs/publish.md has the other ways',
  denied: 'look at the credentials and at what they allow: reading, writing, deleting, and listing (without it S3 hides what is missing)',
  missing: 'make the bucket or container first, and look at --endpoint and --region',
  refused: 'look at the address, --endpoint and --region',
};

/** A trouble as a Failure that says where and what to do. */
export function toFailure(target: Pick<Target, 'name'>, path: string, storageError: StorageError, tried = 1): Failure {
  const isDenied = storageError.kind === 'denied' || storageError.kind === 'anonymous' || storageError.kind === 'expired';
  return new Failure(isDenied ? 'target-denied' : 'target-failed', `${target.name} did not carry out a request`, {
    place: { file: path },
    expected: isDenied ? 'credentials that allow it' : 'an answer that says it is done',
    found: tried === 1 ? storageError.message : `${storageError.message} (tried ${tried} times)`,
    hint: HINTS[storageError.kind],
    cause: storageError,
  });
}

/** Puts a trouble that a request ends with into words. */
export async function wrapErrors<T>(target: Pick<Target, 'name'>, path: string, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw error instanceof StorageError ? toFailure(target, path, error) : error;
  }
}

export function stopped(target: Pick<Target, 'name'>): Failure {
  return new Failure('stopped', `the work at ${target.name} was stopped`, {
    expected: 'to be let finish',
    found: 'a signal to stop; what was under way has been completed',
    hint: 'run the same command again',
  });
}
