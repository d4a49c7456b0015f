import { setTimeout as wait } from 'node:timers/promises';
import { plural } from '../contract/amounts.ts';
import { stopped } from '../contract/event-loop-pauses.ts';
import { type Backoff, pauseAfter } from '../http/backoff.ts';
import { StorageError } from './storage-error.ts';
import type { Target } from './target.ts';

export type RequestKind = 'reads' | 'writes' | 'deletes';

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
  /** Called before a pause of at least a second. `pause` is in milliseconds. */
  readonly onRetry?: ((reason: string, pause: number) => void) | undefined;
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
/** The least bytes of a stream within one timeout. Fewer are no progress: a server can send one byte a second without end. */
export const MIN_BYTES_PER_TIMEOUT = 1000;
/** How often one request is retried because its credentials have expired. */
const MAX_REFRESHES = 3;

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
      await backoff(attempt, policy, error);
    }
  }
}

/**
 * Loads credentials again if a store rejects credentials that it accepted before. Clients do this themselves if the
 * expiry is known. Some credentials have no expiry, or the local clock is slow. Few stores report that credentials
 * have expired. If a store only answers "denied", new credentials are tried once.
 */
export class CredentialRefresh {
  readonly #target: Pick<Target, 'renew'>;
  #times = 0;
  /** Whether the store has carried out a request with the current credentials. */
  #haveWorked = false;

  constructor(target: Pick<Target, 'renew'>) {
    this.#target = target;
  }

  /** Makes a request, and makes it again after a refresh. All requests of one CredentialRefresh share the credentials. */
  async request<T>(request: () => Promise<T>): Promise<T> {
    for (let refreshes = 0; ; refreshes += 1) {
      const times = this.#times;
      try {
        const response = await request();
        if (times === this.#times) this.#haveWorked = true;
        return response;
      } catch (error) {
        if (!(error instanceof StorageError) || !this.#canRefresh(error, times, refreshes)) throw error;
        // many requests fail at once: the first one refreshes for all
        if (times === this.#times) {
          this.#times += 1;
          this.#haveWorked = false;
          this.#target.renew();
        }
      }
    }
  }

  #canRefresh({ kind }: StorageError, times: number, refreshes: number): boolean {
    if (kind === 'expired') return refreshes < MAX_REFRESHES;
    const isRefused = kind === 'denied' || kind === 'anonymous';
    return isRefused && (times !== this.#times || (refreshes === 0 && this.#haveWorked));
  }
}

/** The shortest pause that is reported, in milliseconds. */
const MIN_REPORTED_PAUSE = 1000;

/** Waits before the attempt after a failed one, which has a number from 1. Ends early if the signal is aborted. */
export async function backoff(attempt: number, { signal, onRetry }: RetryPolicy, { message, retryAfter }: StorageError): Promise<void> {
  const pause = pauseAfter(attempt, BACKOFF, retryAfter);
  if (pause >= MIN_REPORTED_PAUSE) onRetry?.(message, pause);
  await wait(pause, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}

/**
 * Yields the bytes of a stream. The time between requesting pieces and receiving {@link MIN_BYTES_PER_TIMEOUT} is limited.
 * @throws StorageError transient if fewer bytes come within the time; and the errors of the stream
 */
export async function* withIdleTimeout(bytes: AsyncIterable<Uint8Array>, milliseconds: number): AsyncGenerator<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]();
  let isWaiting = true;
  let [received, left] = [0, milliseconds];
  try {
    for (;;) {
      isWaiting = true;
      const requestedAt = performance.now();
      const what = received === 0 ? 'no response' : `only ${plural(received, 'byte')}`;
      const piece = await withTimeout(left, undefined, () => pieces.next(), `${what} within ${inSeconds(milliseconds)}`);
      isWaiting = false;
      if (piece.done) return;
      received += piece.value.length;
      left -= performance.now() - requestedAt;
      if (received >= MIN_BYTES_PER_TIMEOUT) [received, left] = [0, milliseconds];
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
  reason = `no response within ${inSeconds(milliseconds)}`,
): Promise<T> {
  const controller = new AbortController();
  let end: (why: string) => void = () => {};
  const late = new Promise<never>((_, fail) => {
    end = (why) => {
      fail(new StorageError('transient', why));
      controller.abort();
    };
  });
  const timer = setTimeout(() => end(reason), milliseconds);
  const expire = () => end('the lease of this run expired without a heartbeat');
  permission?.addEventListener('abort', expire);
  try {
    return await Promise.race([send(controller.signal), late]);
  } finally {
    clearTimeout(timer);
    permission?.removeEventListener('abort', expire);
  }
}

function inSeconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10} s`;
}
