import { setTimeout as wait } from 'node:timers/promises';
import { stopped } from '../contract/event-loop-pauses.ts';
import { Failure } from '../contract/failure.ts';
import { pauseAfter, retryAfter } from '../http/backoff.ts';
import { BadResponse, type HttpAnswer, type HttpClient } from '../http/http-client.ts';

export interface RetryOptions {
  /** The maximum pause before the first retry, in milliseconds. It doubles with each retry. */
  readonly firstPause: number;
  readonly signal: AbortSignal;
  /** Called before each pause. The pause is in milliseconds. */
  readonly onRetry?: ((reason: string, pause: number) => void) | undefined;
}

/** A page that could not be read although the service has answered. */
export class PageFailed extends Error {}

/** The service does not answer, or asks to wait. */
class Unavailable extends Error {
  retryAfter = 0;
}

/** The maximum number of attempts: if the service does not answer, if it has never answered, and if a page is not valid. */
export const MAX_ATTEMPTS = 10;
const MAX_FIRST_ATTEMPTS = 3;
const MAX_PAGE_ATTEMPTS = 4;
const MAX_PAUSE_MS = 60_000;
const UNAVAILABLE = new Set([408, 425, 429, 502, 503, 504]);
/** The errors of a wrong address. A short outage of the service can cause them too. */
const WRONG_ADDRESS = /^(ENOTFOUND|ECONNREFUSED)$/;
/** The errors of a certificate. A retry does not help. */
const CERTIFICATE = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_|HOSTNAME_MISMATCH)/;

/** The state of everything after a stop, for the message. */
export const KEPT = 'the pages that were read are kept beside the store, and the store is unchanged';

/** Retries requests with exponential backoff and jitter, and waits as long as Retry-After says. */
export class RetryingClient {
  readonly #client: Pick<HttpClient, 'get'>;
  readonly #options: RetryOptions;
  #hasAnswered = false;
  retries = 0;

  constructor(client: Pick<HttpClient, 'get'>, options: RetryOptions) {
    this.#client = client;
    this.#options = options;
  }

  /**
   * @param parse parses a response with a status below 500; it throws BadResponse if the request is to be retried
   * @param maxAttempts the maximum number of requests
   * @throws PageFailed if the service has answered before, but not this request as expected; Failure service-failed, bad-service, stopped
   */
  async get<T>(
    url: string,
    headers: Readonly<Record<string, string>>,
    parse: (answer: HttpAnswer) => T | Promise<T>,
    maxAttempts: number = MAX_ATTEMPTS,
  ): Promise<T> {
    let badPages = 0;
    for (let tried = 1; ; tried += 1) {
      try {
        return await parse(await this.#once(url, tried === 1 ? headers : { ...headers, 'Cache-Control': 'no-cache' }));
      } catch (error) {
        if (this.#options.signal.aborted) throw stopped(KEPT);
        if (error instanceof Failure) throw error;
        if (error instanceof BadResponse) badPages += 1;
        if (error instanceof BadResponse && badPages >= Math.min(MAX_PAGE_ATTEMPTS, maxAttempts)) throw new PageFailed(error.message);
        await this.#pause(url, tried, maxAttempts, error);
      }
    }
  }

  async #once(url: string, headers: Readonly<Record<string, string>>): Promise<HttpAnswer> {
    const answer = await this.#client.get(url, headers, this.#options.signal);
    this.#hasAnswered = true;
    const { status } = answer;
    if (UNAVAILABLE.has(status)) {
      const requested = retryAfter(answer.headers['retry-after'], Date.now());
      throw Object.assign(new Unavailable(`status ${status}`), { retryAfter: requested });
    }
    if (status >= 500) throw new BadResponse(`status ${status}`);
    return answer;
  }

  async #pause(url: string, tried: number, maxAttempts: number, error: unknown): Promise<void> {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (!(error instanceof BadResponse) && !(error instanceof Unavailable) && code === undefined) throw error;
    const reason = error instanceof Error ? error.message || String(code) : String(error);
    const all = `${reason} (tried ${tried} times)`;
    const most = !this.#hasAnswered && WRONG_ADDRESS.test(code ?? '') ? MAX_FIRST_ATTEMPTS : maxAttempts;
    if (CERTIFICATE.test(code ?? '') || (tried >= most && !this.#hasAnswered)) throw serviceFailed(url, tried === 1 ? reason : all, error);
    if (tried >= most) throw new PageFailed(all);
    this.retries += 1;
    const backoff = { first: this.#options.firstPause, longest: MAX_PAUSE_MS, least: 0.5 };
    const pause = pauseAfter(tried, backoff, error instanceof Unavailable ? error.retryAfter : 0);
    this.#options.onRetry?.(reason, pause);
    await wait(pause, undefined, { signal: this.#options.signal }).catch(() => {
      throw stopped(KEPT);
    });
  }
}

/** The failure of a service that does not answer, or not with pages. The run resumes where it failed. */
export function serviceFailed(url: string, found: string, cause?: unknown): Failure {
  return new Failure('service-failed', 'the service does not send a page', {
    place: { file: url },
    expected: 'a page of the API',
    found,
    hint: 'check that address, then mirror again later: the run resumes at this page; the store is unchanged',
    cause,
  });
}
