/** Header lines in their order, with their names as they were sent: name, value. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/**
 * One request and its response, with their bytes on the wire, for a writer of `WARC` files. The body stays compressed if
 * Content-Encoding names a compression. Only the chunks of Transfer-Encoding are joined.
 */
export interface Exchange {
  readonly url: string;
  /** When the request was sent, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The address of the server; undefined if it is not known. */
  readonly remoteAddress: string | undefined;
  readonly request: { readonly method: string; readonly target: string; readonly headers: HeaderLines };
  readonly response: {
    /** Such as `1.1`. */
    readonly httpVersion: string;
    readonly status: number;
    readonly statusText: string;
    readonly headers: HeaderLines;
    readonly body: Buffer;
  };
}

/** Takes every exchange that has an answer, errors and redirects too, before it is looked at. */
export type RecordExchange = (exchange: Exchange) => void | Promise<void>;
