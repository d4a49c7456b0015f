import { Failure } from '../contract/failure.ts';
import type { Lock } from '../store/database/lock-file.ts';
import type { ByteRange, ObjectPage, ObjectSource } from './object-source.ts';

export interface ObjectHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
  /** `gzip` or `br` if the stored bytes are compressed; '' if they are not. */
  readonly contentEncoding: string;
}

export interface Upload {
  /** The bytes to store. */
  readonly bytes: Uint8Array;
  readonly headers: ObjectHeaders;
  /** SHA-256 of the file in the tree, as hexadecimal digits. */
  readonly digest: string;
}

/** The metadata of an object, without its bytes. */
export interface ObjectHead {
  /** The digest given with the upload; undefined if another program wrote the object. */
  readonly digest: string | undefined;
  /** Undefined if the store keeps no headers. */
  readonly headers: ObjectHeaders | undefined;
}

export interface Fetched {
  /** The stored bytes. */
  readonly bytes: Buffer;
  /** '' if the store keeps no headers. */
  readonly contentEncoding: string;
  /** Identifies this version of the object. A later version has another tag. */
  readonly tag: string;
}

/** A part of an object that is uploaded: its number from 1, and the offset of its first byte. */
export interface Part {
  readonly number: number;
  readonly offset: number;
}

/** An upload of one object in parts. Every method makes one request and throws StorageError. */
export interface PartsUpload {
  /** Sends a part and returns its tag. A part that is sent again replaces the earlier one. */
  readonly put: (part: Part, bytes: Uint8Array, signal: AbortSignal) => Promise<string>;
  /** Creates the object from all parts, in their order. */
  readonly complete: (tags: readonly string[], signal: AbortSignal) => Promise<void>;
  /** Deletes the parts. */
  readonly abort: (signal: AbortSignal) => Promise<void>;
}

/** An upload in parts that was neither completed nor aborted. Its parts are no object, but the store keeps them. */
export interface OpenUpload {
  readonly path: string;
  /** '' if the kind of target has one upload at most for each path. */
  readonly id: string;
}

/** The condition of a write: the object does not exist yet, or its version has this tag. */
export type Condition = 'absent' | { readonly tag: string };

/** US dollars for one request, at list price. */
export interface Prices {
  readonly write: number;
  readonly read: number;
}

/**
 * A place to publish to. Paths are relative to its prefix, with slashes. Every method makes one request (or as few
 * as the store allows), ends when `signal` is aborted, and throws StorageError.
 */
export interface Target {
  /** The name for messages, without secrets: `s3://bucket/prefix`. */
  readonly name: string;
  readonly prices: Prices;
  /** Whether it stores headers with an object and returns them. */
  readonly keepsHeaders: boolean;
  /**
   * Checks whether a tree in the folder `out` can be published here. Only targets that need no request for this have it.
   * @throws Failure not-ours
   */
  readonly check?: (out: string) => void;
  /**
   * Refuses files that a link leads out of the target. Only targets that need no request for this have it.
   * @throws Failure not-ours
   */
  readonly checkFiles?: (files: Iterable<{ readonly path: string }>) => void;
  /** Returns the names of the files and folders at the top level. Only targets that need no request for this have it. */
  readonly names?: () => readonly string[];
  /**
   * Locks the target for this process; returns undefined if another process has the lock. Only folders have it: two writes
   * of the same file at the same time would disturb each other.
   */
  readonly lock?: () => Lock | undefined;
  /** @param range by default, the whole object */
  readonly get: (path: string, signal: AbortSignal, range?: ByteRange) => Promise<Fetched | undefined>;
  /**
   * Lists a page of the objects whose paths begin with `prefix` and come after the path `after`.
   * @param next where the page begins, from the page before
   */
  readonly list: (prefix: string, after: string, next: string | undefined, signal: AbortSignal) => Promise<ObjectPage>;
  readonly head: (path: string, signal: AbortSignal) => Promise<ObjectHead | undefined>;
  /** Writes a whole object and returns its tag. The store verifies the bytes that it received. */
  readonly put: (path: string, upload: Upload, signal: AbortSignal, condition?: Condition) => Promise<string>;
  /** Begins an upload in parts, because the size of one request is limited. */
  readonly beginParts: (path: string, upload: Omit<Upload, 'bytes'>, signal: AbortSignal) => Promise<PartsUpload>;
  /** Returns the open uploads of paths that begin with `prefix`. Only kinds whose open uploads can be listed have it. */
  readonly openUploads?: (prefix: string, signal: AbortSignal) => Promise<readonly OpenUpload[]>;
  /** Deletes the parts of an open upload. A missing upload is not an error. */
  readonly abortUpload?: (upload: OpenUpload, signal: AbortSignal) => Promise<void>;
  /** Whether a response to a write showed that the store keeps objects that are overwritten or deleted. */
  readonly keepsDeleted: boolean;
  /** Removes an object. A missing object is not an error. */
  readonly remove: (path: string, signal: AbortSignal) => Promise<void>;
  /** Returns the objects at and below the address as a source. Only kinds whose objects can be read as sources have it. */
  readonly source?: () => ObjectSource;
  /** Discards the credentials, so that the next request loads them again. */
  readonly renew: () => void;
  /** Closes all connections. */
  readonly close: () => void;
}

/** Connection settings beyond the standard ways of a kind of target. */
export interface Access {
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** The most requests in flight at a time. */
  readonly connections: number;
  /** Credentials that the caller read from the environment, because the client library does not find them by itself. */
  readonly secrets: {
    readonly azureConnectionString?: string | undefined;
    readonly azureAccount?: string | undefined;
    readonly azureKey?: string | undefined;
  };
}

export interface TargetKind {
  /** The part of an address before `://`; '' for a path. */
  readonly scheme: string;
  /** @throws Failure no-client, usage */
  readonly open: (address: Address, access: Access) => Promise<Target>;
}

export interface Address {
  /** Bucket, container or folder. */
  readonly container: string;
  /** '' or a path that ends with a slash. */
  readonly prefix: string;
  readonly name: string;
}

/**
 * Locks a target that can be locked: a folder. At other targets, conditional writes exclude another run.
 * @throws Failure target-busy
 */
export function lockTarget(target: Pick<Target, 'name' | 'lock'>): Lock | undefined {
  const lock = target.lock?.();
  if (target.lock === undefined || lock !== undefined) return lock;
  throw targetBusy(target);
}

/** The failure of a run beside another one at the same target. */
export function targetBusy({ name }: Pick<Target, 'name'>, found: string = 'another run'): Failure {
  return new Failure('target-busy', `another run writes to ${name} at the same time`, {
    place: { file: name },
    expected: 'one run at a time',
    found,
    hint: 'wait until the other run has ended, then run the same command again',
  });
}
