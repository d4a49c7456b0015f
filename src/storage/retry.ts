import { setTimeout as wait } from 'node:timers/promises';
import { stopped } from '../contract/pauses.ts';
import { type Backoff, pauseAfter } from '../http/backoff.ts';
import type { RequestCounter, RequestKind } from './request-counter.ts';
import { StorageError } from './storage-error.ts';

/** The limits for retries of a request. */
export interface RetryPolicy {
  /** The most attempts of one request. */
  readonly attempts: number;
  /** The timeout of one attempt in milliseconds. A larger object gets additional time at 100 kB/s. */
  readonly timeout: number;
  /** Aborted when no further attempt must begin; undefined for requests that are sent even after the run was stopped. */
  readonly signal: AbortSignal | undefined;
  /** The state of everything after a stop, for the message. */
  readonly kept: string;
  /** Waits before every attempt until it is permitted. The returned signal is aborted when the permission ends. */
  readonly beforeAttempt?: () => Promise<AbortSignal>;
}

/** A request to a target. It is idempotent: it reads, writes or removes one whole object. */
export interface StorageRequest<T> {
  readonly kind: RequestKind;
  /** The bytes that it sends or reads, as far as they are known. */
  readonly bytes: number;
  /** Makes one attempt, and ends it when the signal is aborted. */
  readonly send: (signal: AbortSignal) => Promise<T>;
}

const BACKOFF: Backoff = { first: 100, longest: 10_000, least: 0 };
const MIN_BYTES_PER_MS = 100;

/**
 * Makes a request and retries it after a transient error, with exponential backoff and full jitter. Counts every attempt.
 * @throws StorageError, Failure stopped
 */
export async function retry<T>({ kind, bytes, send }: StorageRequest<T>, policy: RetryPolicy, traffic: RequestCounter): Promise<T> {
  const { attempts, timeout, signal, kept, beforeAttempt } = policy;
  for (let attempt = 1; ; attempt += 1) {
    if (signal?.aborted) throw stopped(kept);
    const permission = await beforeAttempt?.();
    try {
      traffic[kind] += 1;
      if (kind === 'writes') traffic.sent += bytes;
      return await withTimeout(timeout + bytes / MIN_BYTES_PER_MS, permission, send);
    } catch (error) {
      if (!(error instanceof StorageError && error.kind === 'transient')) throw error;
      if (signal?.aborted) throw stopped(kept);
      if (attempt >= attempts) throw attempt === 1 ? error : new StorageError('transient', `${error.message} (tried ${attempt} times)`);
      traffic.retries += 1;
      await backoff(attempt, signal, error.retryAfter);
    }
  }
}

/**
 * Waits before the attempt after a failed one, which has a number from 1. Ends early if the signal is aborted.
 * @param retryAfter the least pause, in milliseconds
 */
export async function backoff(attempt: number, signal: AbortSignal | undefined, retryAfter = 0): Promise<void> {
  await wait(pauseAfter(attempt, BACKOFF, retryAfter), undefined, signal === undefined ? {} : { signal }).catch(() => {});
}

/**
 * Yields the bytes of a stream. The time between requesting a piece and receiving it is limited.
 * @throws StorageError transient if no piece comes within the time; and the errors of the stream
 */
export async function* withIdleTimeout(bytes: AsyncIterable<Uint8Array>, milliseconds: number): AsyncGenerator<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]();
  let isWaiting = true;
  try {
    for (;;) {
      isWaiting = true;
      const piece = await withTimeout(milliseconds, undefined, () => pieces.next());
      isWaiting = false;
      if (piece.done) return;
      yield piece.value;
    }
  } finally {
    // a stream that waits for a piece cannot end before it comes
    const ended = pieces.return?.();
    if (isWaiting) ended?.catch(() => {});
    else await ended;
  }
}

/** Limits the time of a request, even if its client ignores the timeout, and ends it when its permission ends. */
async function withTimeout<T>(
  milliseconds: number,
  permission: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<T>,
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
    return await Promise.race([send(controller.signal), late]);
  } finally {
    clearTimeout(timer);
    permission?.removeEventListener('abort', expire);
  }
}
