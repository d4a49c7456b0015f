import { setMaxListeners } from 'node:events';
import { CredentialRefresh } from '../storage/credential-refresh.ts';
import { RequestCounter, type RetryPolicy, withRetry, wrapErrors } from '../storage/retry.ts';
import type { Condition, Fetched, ObjectHead, Target, Upload } from '../storage/target.ts';

/** How a target is spoken to. */
export interface RemoteOptions {
  /** How many requests are under way at once. */
  readonly concurrency: number;
  readonly retryPolicy: Pick<RetryPolicy, 'attempts' | 'timeout'>;
  /** Ends the run: nothing new is begun. */
  readonly signal: AbortSignal;
}

/** A target whose requests are made again where that helps, and else end with a Failure. */
export interface Remote {
  readonly name: string;
  readonly traffic: RequestCounter;
  readonly get: (path: string) => Promise<Fetched | undefined>;
  readonly head: (path: string) => Promise<ObjectHead | undefined>;
  /** With a condition it throws Trouble, by which the caller tells whether the condition held. */
  readonly put: (path: string, upload: Upload, condition?: Condition) => Promise<string>;
  readonly remove: (path: string) => Promise<void>;
}

export function openRemote(plainTarget: Target, { retryPolicy, signal }: RemoteOptions): Remote {
  // as many requests wait on it as are under way
  setMaxListeners(0, signal);
  const traffic = new RequestCounter();
  const target = new CredentialRefresh(plainTarget).wrap(withRetry(plainTarget, { ...retryPolicy, signal }, traffic));
  return {
    name: target.name,
    traffic,
    get: (path) => wrapErrors(target, path, () => target.get(path, signal)),
    head: (path) => wrapErrors(target, path, () => target.head(path, signal)),
    put: (path, upload, condition) => {
      const request = () => target.put(path, upload, signal, condition);
      return condition === undefined ? wrapErrors(target, path, request) : request();
    },
    remove: (path) => wrapErrors(target, path, () => target.remove(path, signal)),
  };
}
