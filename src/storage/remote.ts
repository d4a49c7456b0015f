import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { ByteRange, ListedObject, ObjectBody, ObjectPage, ObjectSource } from './object-source.ts';
import {
  backoff,
  CredentialRefresh,
  MIN_BYTES_PER_TIMEOUT,
  RequestCounter,
  type RequestKind,
  type RetryPolicy,
  retry,
  withIdleTimeout,
} from './retry.ts';
import { StorageError, toFailure } from './storage-error.ts';
import type { Condition, Fetched, ObjectHead, OpenUpload, Part, Target, Upload } from './target.ts';

export interface RemoteOptions {
  /** The most requests in flight at a time. */
  readonly concurrency: number;
  readonly retryPolicy: Pick<RetryPolicy, 'attempts' | 'timeout' | 'onRetry'>;
  /** Stops the run: requests in flight are completed, and no new request begins. */
  readonly signal: AbortSignal;
  /** The state of everything after a stop, for the message. */
  readonly kept?: string;
}

/** An upload in parts, as a {@link Remote} makes its requests. */
export interface RemoteParts {
  readonly put: (part: Part, bytes: Uint8Array) => Promise<string>;
  readonly complete: (tags: readonly string[]) => Promise<void>;
  /** Deletes the parts, also after a stop. */
  readonly abort: () => Promise<void>;
}

/**
 * A target as the rest of the code uses it. Its requests are counted, retried after transient errors, and made again
 * with new credentials. Every method throws a Failure: target-failed, target-denied, stopped, and those of the target.
 */
export interface Remote extends Pick<Target, 'name' | 'prices' | 'keepsHeaders'> {
  /** Whether a response to a write showed that the store keeps objects that are overwritten or deleted. */
  readonly keepsDeleted: boolean;
  readonly policy: RetryPolicy;
  readonly traffic: RequestCounter;
  /** @param range by default, the whole object */
  readonly get: (path: string, range?: ByteRange) => Promise<Fetched | undefined>;
  /** Yields the objects whose paths begin with `prefix` and come after the path `after`, in order. */
  readonly objects: (prefix: string, after?: string) => AsyncGenerator<ListedObject>;
  /** Returns all objects that `objects` yields. */
  readonly list: (prefix: string, after?: string) => Promise<readonly ListedObject[]>;
  readonly head: (path: string) => Promise<ObjectHead | undefined>;
  /** Writes a whole object and returns its tag. `storageErrorKind` of the Failure is `conflict` if the condition was not met. */
  readonly put: (path: string, upload: Upload, condition?: Condition) => Promise<string>;
  readonly beginParts: (path: string, upload: Omit<Upload, 'bytes'>) => Promise<RemoteParts>;
  /** Returns the open uploads of paths that begin with `prefix`. Undefined if the target cannot list them, or has none. */
  readonly openUploads: ((prefix: string) => Promise<readonly OpenUpload[]>) | undefined;
  readonly abortUpload: (upload: OpenUpload) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
  /** Returns the same target with another policy. Both share the credentials and the counter. */
  readonly with: (changes: Partial<RetryPolicy>) => Remote;
}

export function openRemote(target: Target, { retryPolicy, signal, kept = 'nothing was changed' }: RemoteOptions): Remote {
  // each request in flight adds a listener
  setMaxListeners(0, signal);
  return decorate(target, { ...retryPolicy, signal, kept }, new CredentialRefresh(target), new RequestCounter());
}

/** Reads objects as streams. Requests are retried as those of a Remote are, and throw the same failures. */
export interface ObjectReader {
  readonly list: () => AsyncGenerator<ListedObject>;
  /**
   * Yields the bytes of an object. After an error in the middle, it continues at the next byte. If the server sends no tag, it requests
   * all bytes again, and compares those that it has.
   */
  readonly read: (path: string) => AsyncGenerator<Uint8Array>;
}

export function openReader(source: ObjectSource, { retryPolicy, signal, kept = 'nothing was changed' }: RemoteOptions): ObjectReader {
  setMaxListeners(0, signal);
  const policy = { ...retryPolicy, signal, kept };
  const request = requester(source, policy, new CredentialRefresh(source), new RequestCounter());
  return {
    list: () => listing((next) => request('reads', '', (sending) => source.objects(next, sending))),
    async *read(path) {
      let attempt = new AbortController();
      const open = (from: number) => {
        attempt = new AbortController();
        const { signal: ended } = attempt;
        return request('reads', path, (sending) => source.read(path, from, AbortSignal.any([sending, ended])));
      };
      let body = await open(0);
      const { tag } = body;
      const seen = tag === '' ? createHash('sha256') : undefined;
      let [done, failures, sinceFailure] = [0, 0, 0];
      for (;;) {
        if (body.tag !== tag) throw toFailure(source, path, anotherVersion());
        try {
          const bytes = withIdleTimeout(body.bytes, policy.timeout);
          for await (const piece of bytesAfter({ ...body, bytes }, done, seen?.copy().digest('hex'))) {
            if (piece.length === 0) continue;
            done += piece.length;
            sinceFailure += piece.length;
            if (sinceFailure >= MIN_BYTES_PER_TIMEOUT) failures = 0;
            seen?.update(piece);
            yield piece;
          }
          return;
        } catch (error) {
          // a body that timed out would be received beside the next one
          attempt.abort();
          failures += 1;
          sinceFailure = 0;
          const isTransient = error instanceof StorageError && error.kind === 'transient';
          if (!isTransient || failures >= policy.attempts) throw toFailure(source, path, error);
          await backoff(failures, policy, error);
        }
        body = await open(seen === undefined ? done : 0);
      }
    },
  };
}

/**
 * Yields the bytes of an object after the first ones. Pieces of those are empty.
 * @param digest the SHA-256 that the first bytes must have; undefined if the tag proves that they are the same
 */
async function* bytesAfter({ bytes, from }: ObjectBody, count: number, digest: string | undefined): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let left = count - from;
  for await (const piece of bytes) {
    const known = piece.subarray(0, left);
    left -= known.length;
    hash.update(known);
    const isEnd = left === 0 && known.length > 0;
    if (isEnd && digest !== undefined && hash.copy().digest('hex') !== digest) throw anotherVersion();
    yield piece.subarray(known.length);
  }
  if (left > 0) throw anotherVersion();
}

function anotherVersion(): StorageError {
  return new StorageError('conflict', 'another version of the object than before');
}

/** Yields the objects on all pages of a listing. */
async function* listing(pageAt: (next: string | undefined) => Promise<ObjectPage>): AsyncGenerator<ListedObject> {
  let next: string | undefined;
  do {
    const page = await pageAt(next);
    yield* page.objects;
    next = page.next;
  } while (next !== undefined);
}

type Request = <T>(kind: RequestKind, path: string, send: (signal: AbortSignal) => Promise<T>, bytes?: number) => Promise<T>;

/** The only place that wraps a target, and that converts its errors. */
function requester(
  target: Pick<Target, 'name'> & { readonly kind?: ObjectSource['kind'] },
  policy: RetryPolicy,
  credentials: CredentialRefresh,
  traffic: RequestCounter,
): Request {
  return async (kind, path, send, bytes = 0) => {
    try {
      return await credentials.request(() => retry({ kind, bytes, send }, policy, traffic));
    } catch (error) {
      throw toFailure(target, path, error);
    }
  };
}

function decorate(target: Target, policy: RetryPolicy, credentials: CredentialRefresh, traffic: RequestCounter): Remote {
  const { name, prices, keepsHeaders } = target;
  const request = requester(target, policy, credentials, traffic);
  const openUploads = target.openUploads?.bind(target);
  const objects = (prefix: string, after = '') =>
    listing((next) => request('reads', prefix, (signal) => target.list(prefix, after, next, signal)));
  return {
    name,
    prices,
    keepsHeaders,
    policy,
    traffic,
    get keepsDeleted() {
      return target.keepsDeleted;
    },
    get: (path, range) =>
      request('reads', path, (signal) => target.get(path, signal, range), range === undefined ? 0 : range.to - range.from),
    objects,
    list: async (prefix, after) => {
      const all: ListedObject[] = [];
      for await (const object of objects(prefix, after)) all.push(object);
      return all;
    },
    head: (path) => request('reads', path, (signal) => target.head(path, signal)),
    put: (path, upload, condition) => request('writes', path, (signal) => target.put(path, upload, signal, condition), upload.bytes.length),
    beginParts: async (path, upload) => {
      const parts = await request('writes', path, (signal) => target.beginParts(path, upload, signal));
      const always = requester(target, { ...policy, signal: undefined }, credentials, traffic);
      return {
        put: (part, bytes) => request('writes', path, (signal) => parts.put(part, bytes, signal), bytes.length),
        complete: (tags) => request('writes', path, (signal) => parts.complete(tags, signal)),
        abort: () => always('deletes', path, (signal) => parts.abort(signal)),
      };
    },
    openUploads: openUploads && ((prefix) => request('reads', prefix, (signal) => openUploads(prefix, signal))),
    abortUpload: (upload) => request('deletes', upload.path, async (signal) => target.abortUpload?.(upload, signal)),
    remove: (path) => request('deletes', path, (signal) => target.remove(path, signal)),
    with: (changes) => decorate(target, { ...policy, ...changes }, credentials, traffic),
  };
}
