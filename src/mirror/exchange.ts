/** One request and its response, for a writer of `WARC` files. */
export interface Exchange {
  readonly url: string;
  /** When the request was sent, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The address of the server; undefined if it is not known. */
  readonly remoteAddress: string | undefined;
  /** The bytes on the wire, in the form of HTTP/1.1: the head and, of the response, the body with its chunks. */
  readonly request: Buffer;
  readonly response: Buffer;
  readonly status: number;
  /** The body of the response without its chunks. It stays compressed if Content-Encoding names a compression. */
  readonly body: Buffer;
  /** Why the response ends before its end. The reasons are those of `WARC-Truncated`. */
  readonly truncated?: 'disconnect' | 'time' | 'length' | undefined;
}

/** Takes every exchange that has an answer, also errors, redirects and answers that were cut short, before it is looked at. */
export type RecordExchange = (exchange: Exchange) => void | Promise<void>;
