import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../contract/failure.ts';
import type { HttpAnswer, HttpClient } from './http-client.ts';
import { retryAfter } from './retry-after.ts';
import { BadPage } from './service-page.ts';

export interface RetryOptions {
  /** Milliseconds before the second try, at most; doubled for each further one. */
  readonly firstPause: number;
  readonly signal: AbortSignal;
  /** Told before each pause, in milliseconds. */
  readonly onRetry?: ((reason: string, pause: number) => void) | undefined;
}

/** A page that could not be read although the service has answered. */
export class PageFailed extends Error {}

/** The service does not answer, or asks to wait. */
class Unavailable extends Error {
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** Tries of one request: of a service that does not answer, of an address that never has, and of one page that is bad. */
export const TRIES = 10;
const FIRST_TRIES = 3;
const PAGE_TRIES = 4;
const LONGEST_PAUSE = 60_000;
const UNAVAILABLE = new Set([408, 425, 429, 502, 503, 504]);
/** What a wrong address gives; a service that is down for a moment can give it too. */
const WRONG_ADDRESS = /^(ENOTFOUND|ECONNREFUSED)$/;
/** A certificate does not become right by asking again. */
const CERTIFICATE = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_|HOSTNAME_MISMATCH)/;

/** Retries requests with exponential backoff and jitter, and waits as long as Retry-After says. */
export class RetryingClient {
  readonly #client: HttpClient;
  readonly #options: RetryOptions;
  #hasAnswered = false;
  retries = 0;

  constructor(client: HttpClient, options: RetryOptions) {
    this.#client = client;
    this.#options = options;
  }

  /**
   * @param judge parses a response with a status below 500; it throws BadPage if the request is to be retried
   * @param tries how often the request is sent at most
   * @throws PageFailed if the service has answered before, but never this request as expected; Failure service-failed, bad-service, stopped
   */
  async get<T>(
    url: string,
    headers: Readonly<Record<string, string>>,
    judge: (answer: HttpAnswer) => T | Promise<T>,
    tries = TRIES,
  ): Promise<T> {
    let bad = 0;
    for (let tried = 1; ; tried += 1) {
      try {
        return await judge(await this.#once(url, tried === 1 ? headers : { ...headers, 'Cache-Control': 'no-cache' }));
      } catch (error) {
        if (this.#options.signal.aborted) throw stopped(url);
        if (error instanceof Failure) throw error;
        if (error instanceof BadPage) bad += 1;
        if (error instanceof BadPage && bad >= Math.min(PAGE_TRIES, tries)) throw new PageFailed(error.message);
        await this.#pause(url, tried, tries, error);
      }
    }
  }

  async #once(url: string, headers: Readonly<Record<string, string>>): Promise<HttpAnswer> {
    const answer = await this.#client.get(url, headers);
    this.#hasAnswered = true;
    const { status } = answer;
    if (UNAVAILABLE.has(status)) throw new Unavailable(`status ${status}`, retryAfter(answer.headers['retry-after'], Date.now()));
    if (status >= 500) throw new BadPage(`status ${status}`);
    return answer;
  }

  async #pause(url: string, tried: number, tries: number, error: unknown): Promise<void> {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (!(error instanceof BadPage) && !(error instanceof Unavailable) && code === undefined) throw error;
    const reason = error instanceof Error ? error.message || String(code) : String(error);
    const most = !this.#hasAnswered && WRONG_ADDRESS.test(code ?? '') ? FIRST_TRIES : tries;
    if (CERTIFICATE.test(code ?? '') || (tried >= most && !this.#hasAnswered)) throw unavailable(url, tried, reason, error);
    if (tried >= most) throw new PageFailed(`${reason} (tried ${tried} times)`);
    this.retries += 1;
    const backoff = Math.min(LONGEST_PAUSE, this.#options.firstPause * 2 ** (tried - 1)) * (0.5 + Math.random() / 2);
    const pause = Math.max(backoff, error instanceof Unavailable ? error.retryAfter : 0);
    this.#options.onRetry?.(reason, pause);
    await wait(pause, undefined, { signal: this.#options.signal }).catch(() => {
      throw stopped(url);
    });
  }
}

function unavailable(url: string, tried: number, reason: string, cause: unknown): Failure {
  return new Failure('service-failed', 'the service does not answer', {
    place: { file: url },
    expected: 'a page',
    found: tried === 1 ? reason : `${reason} (tried ${tried} times)`,
    hint: 'mirror again later: the run resumes at this page; the store is unchanged',
    cause,
  });
}

function stopped(url: string): Failure {
  return new Failure('stopped', 'interrupted: the pages that were read are kept beside the store, and the store is unchanged', {
    place: { file: url },
    hint: 'run the same command again: it resumes at the same page',
  });
}
