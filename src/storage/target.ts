/** What a store answers with an object, beside its bytes. */
export interface ObjectHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
  /** `gzip` or `br` where the bytes are kept compressed; '' where they are kept as they are. */
  readonly contentEncoding: string;
}

/** An object to be written. */
export interface Upload {
  /** The bytes as the store is to keep them. */
  readonly bytes: Uint8Array;
  readonly headers: ObjectHeaders;
  /** SHA-256 of the file in the tree, as hexadecimal digits. */
  readonly digest: string;
  /** Of a page that shows an older version's items too: the digest of the page that it will become. */
  readonly holds?: string | undefined;
}

/** What a store says of an object without sending it. */
export interface ObjectHead {
  /** As it was given with the upload; undefined where somebody else wrote the object. */
  readonly digest: string | undefined;
  readonly holds: string | undefined;
  /** Undefined where a store keeps none. */
  readonly headers: ObjectHeaders | undefined;
}

/** An object that was fetched. */
export interface Fetched {
  /** As the store keeps them. */
  readonly bytes: Buffer;
  /** '' where a store keeps no headers. */
  readonly contentEncoding: string;
  /** Names this version of the object: a later version has another. */
  readonly tag: string;
}

/** What must be so for a write to happen: there is no object yet, or it is the version of that tag. */
export type Condition = 'absent' | { readonly tag: string };

/** US dollars for one request, at list price. */
export interface Prices {
  readonly write: number;
  readonly read: number;
}

/**
 * A place to publish to. Paths are relative to its prefix, with slashes. Every method makes one request
 * (or as few as the store allows), gives up when `signal` says so and throws Trouble.
 */
export interface Target {
  /** As people know it, without anything secret: `s3://bucket/prefix`. */
  readonly name: string;
  readonly prices: Prices;
  /** Whether it answers with the headers that an object was given. */
  readonly keepsHeaders: boolean;
  /**
   * Looks, where that can be told without a request, whether a tree can go there from its folder.
   * @throws Failure not-ours
   */
  readonly check?: (out: string) => void;
  /** The names of what is there at the top, where a place can be asked for them without a request; else it has no such method. */
  readonly names?: () => readonly string[];
  readonly get: (path: string, signal: AbortSignal) => Promise<Fetched | undefined>;
  readonly head: (path: string, signal: AbortSignal) => Promise<ObjectHead | undefined>;
  /** Writes an object whole; the store checks that its bytes arrived as they are. Gives its tag. */
  readonly put: (path: string, upload: Upload, signal: AbortSignal, condition?: Condition) => Promise<string>;
  /** Removes an object; one that is not there is no storageError. */
  readonly remove: (path: string, signal: AbortSignal) => Promise<void>;
  /** Has the next request look for credentials again, as if none had been found yet. */
  readonly renew: () => void;
  /** Lets go of connections. */
  readonly close: () => void;
}

/** How a place is reached, where the standard ways of its kind are not enough. */
export interface Access {
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** How many requests will be under way at once. */
  readonly connections: number;
  /** What the kind's own client does not find by itself. */
  readonly secrets: Secrets;
}

/** Credentials that a caller read from where users keep them. */
export interface Secrets {
  readonly azureConnectionString?: string | undefined;
  readonly azureAccount?: string | undefined;
  readonly azureKey?: string | undefined;
}

/** One kind of place. */
export interface TargetKind {
  /** What an address begins with, before `://`; '' for a path. */
  readonly scheme: string;
  /** @throws Failure no-client, usage */
  readonly open: (address: Address, access: Access) => Promise<Target>;
}

/** A place, taken apart. */
export interface Address {
  /** Bucket, container or folder. */
  readonly container: string;
  /** '' or a path that ends with a slash. */
  readonly prefix: string;
  readonly name: string;
}
