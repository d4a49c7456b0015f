/** One request and its response, for a WARC. */
export interface Exchange {
  readonly url: string;
  /** When the request was sent, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The address of the server; undefined if it is not known. */
  readonly remoteAddress: string | undefined;
  /** The bytes on the wire (HTTP/1.1): the head of the request; the head and the body of the response, with chunked encoding. */
  readonly request: Buffer;
  readonly response: Buffer;
  readonly status: number;
  /** The body of the response without chunked encoding. It stays compressed if Content-Encoding names a compression. */
  readonly body: Buffer;
  /** Why the response ends before its end. The reasons are those of `WARC-Truncated`. */
  readonly truncated?: 'disconnect' | 'time' | 'length' | undefined;
}

/** Called with every exchange that has a response, even an error, a redirect or one that was cut short, before the response is processed. */
export type RecordExchange = (exchange: Exchange) => void | Promise<void>;
