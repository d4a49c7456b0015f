import { setMaxListeners } from 'node:events';
import { CredentialRefresh } from './credential-refresh.ts';
import { RequestCounter, type RequestKind } from './request-counter.ts';
import { type RetryPolicy, retry } from './retry.ts';
import { toFailure } from './storage-failure.ts';
import type { Condition, Fetched, ObjectHead, Target, Upload } from './target.ts';

/** The settings for requests to a target. */
export interface RemoteOptions {
  /** The most requests in flight at a time. */
  readonly concurrency: number;
  readonly retryPolicy: Pick<RetryPolicy, 'attempts' | 'timeout'>;
  /** Stops the run: requests in flight are completed, and no new request begins. */
  readonly signal: AbortSignal;
}

/**
 * A target as the rest of the code uses it. Its requests are counted, retried after transient errors, and made again
 * with new credentials. Every method throws a Failure: target-failed, target-denied, stopped, and those of the target.
 */
export interface Remote extends Pick<Target, 'name' | 'prices' | 'keepsHeaders'> {
  readonly policy: RetryPolicy;
  readonly traffic: RequestCounter;
  readonly get: (path: string) => Promise<Fetched | undefined>;
  readonly head: (path: string) => Promise<ObjectHead | undefined>;
  /** Writes a whole object and returns its tag. `storageErrorKind` of the Failure is `conflict` if the condition was not met. */
  readonly put: (path: string, upload: Upload, condition?: Condition) => Promise<string>;
  readonly remove: (path: string) => Promise<void>;
  /** Returns the same target with another policy. Both share the credentials and the counter. */
  readonly with: (changes: Partial<RetryPolicy>) => Remote;
}

export function openRemote(target: Target, { retryPolicy, signal }: RemoteOptions): Remote {
  // each request in flight adds a listener
  setMaxListeners(0, signal);
  return decorate(target, { ...retryPolicy, signal }, new CredentialRefresh(target), new RequestCounter());
}

/** The only place that wraps a target, and that converts its errors. */
function decorate(target: Target, policy: RetryPolicy, credentials: CredentialRefresh, traffic: RequestCounter): Remote {
  const { name, prices, keepsHeaders } = target;
  async function request<T>(kind: RequestKind, path: string, send: (signal: AbortSignal) => Promise<T>, bytes = 0): Promise<T> {
    try {
      return await credentials.request(() => retry({ target: name, kind, bytes, send }, policy, traffic));
    } catch (error) {
      throw toFailure(name, path, error);
    }
  }
  return {
    name,
    prices,
    keepsHeaders,
    policy,
    traffic,
    get: (path) => request('reads', path, (signal) => target.get(path, signal)),
    head: (path) => request('reads', path, (signal) => target.head(path, signal)),
    put: (path, upload, condition) => request('writes', path, (signal) => target.put(path, upload, signal, condition), upload.bytes.length),
    remove: (path) => request('deletes', path, (signal) => target.remove(path, signal)),
    with: (changes) => decorate(target, { ...policy, ...changes }, credentials, traffic),
  };
}
