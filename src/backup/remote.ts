import { setMaxListeners } from 'node:events';
import { CredentialRefresh } from '../storage/credential-refresh.ts';
import { RequestCounter, type RetryPolicy, withRetry, wrapErrors } from '../storage/retry.ts';
import type { Condition, Fetched, ObjectHead, Target, Upload } from '../storage/target.ts';

/** The settings for requests to a target. */
export interface RemoteOptions {
  /** The most requests in flight at a time. */
  readonly concurrency: number;
  readonly retryPolicy: Pick<RetryPolicy, 'attempts' | 'timeout'>;
  /** Stops the run: no new request begins. */
  readonly signal: AbortSignal;
}

/** A target that retries requests after transient errors. Other errors become a Failure. */
export interface Remote {
  readonly name: string;
  readonly traffic: RequestCounter;
  /** The state of everything if the run is told to stop, for the message. */
  readonly kept: string;
  readonly get: (path: string) => Promise<Fetched | undefined>;
  readonly head: (path: string) => Promise<ObjectHead | undefined>;
  /** With a condition it throws StorageError, so that the caller can see whether the condition was met. */
  readonly put: (path: string, upload: Upload, condition?: Condition) => Promise<string>;
  readonly remove: (path: string) => Promise<void>;
}

/** @param kept the state of everything if the run is told to stop, for the message */
export function openRemote(plainTarget: Target, { retryPolicy, signal }: RemoteOptions, kept: string): Remote {
  // each request in flight adds a listener
  setMaxListeners(0, signal);
  const traffic = new RequestCounter();
  const target = new CredentialRefresh(plainTarget).wrap(withRetry(plainTarget, { ...retryPolicy, signal, kept }, traffic));
  return {
    name: target.name,
    traffic,
    kept,
    get: (path) => wrapErrors(target, path, () => target.get(path, signal)),
    head: (path) => wrapErrors(target, path, () => target.head(path, signal)),
    put: (path, upload, condition) => {
      const request = () => target.put(path, upload, signal, condition);
      return condition === undefined ? wrapErrors(target, path, request) : request();
    },
    remove: (path) => wrapErrors(target, path, () => target.remove(path, signal)),
  };
}
