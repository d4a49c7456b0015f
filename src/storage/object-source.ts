import { StorageError } from './storage-error.ts';

export interface ListedObject {
  /** The path below the prefix; '' if the prefix is the whole key. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Identifies the version of the object, as {@link ObjectBody.tag} does. */
  readonly tag: string;
}

export interface ByteRange {
  /** The first byte, from 0. */
  readonly from: number;
  /** The byte after the last one. */
  readonly to: number;
}

/** Some objects below a prefix, in the order of their keys. */
export interface ObjectPage {
  readonly objects: readonly ListedObject[];
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined;
}

/** The bytes of an object, as a stream. */
export interface ObjectBody {
  /** Throws StorageError. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The offset of the first byte. It can be 0 although others were requested: not every server supports ranges. */
  readonly from: number;
  /** Identifies this version of the object. A later version has another tag. '' if the server does not send one. */
  readonly tag: string;
}

/** A place from which objects are read as streams. Every method makes one request, and throws StorageError. */
export interface ObjectSource {
  /** The name for messages, without secrets. */
  readonly name: string;
  /** Which hints apply to its errors. */
  readonly kind: 'store' | 'web';
  /** Lists a page of the objects. */
  readonly objects: (after: string | undefined, signal: AbortSignal) => Promise<ObjectPage>;
  /** Starts to read an object, from a byte to the end. The signal also ends the body. */
  readonly read: (path: string, from: number, signal: AbortSignal) => Promise<ObjectBody>;
  /** Discards the credentials, so that the next request loads them again. */
  readonly renew: () => void;
  /** Closes all connections. */
  readonly close: () => void;
}

/** Yields the bytes of a response, and checks their number. Converts errors of the connection. */
export async function* bodyOf(
  response: AsyncIterable<Uint8Array>,
  length: number | undefined,
  toStorageError: (error: unknown) => StorageError,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const piece of response) {
      bytes += piece.length;
      yield piece;
    }
  } catch (error) {
    throw toStorageError(error);
  }
  if (length !== undefined && bytes !== length) {
    throw new StorageError('transient', `the connection ended after ${bytes} of ${length} bytes`);
  }
}
