import type { ClientRequest } from 'node:http';

/** One request and its response, for a WARC. */
export interface Exchange {
  readonly url: string;
  /** When the request was sent, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The address of the server; undefined if it is not known. */
  readonly remoteAddress: string | undefined;
  /** The bytes on the wire (HTTP/1.1): the head of the request; the head and the body of the response in pieces, with chunked encoding. */
  readonly request: Buffer;
  readonly response: readonly Buffer[];
  readonly status: number;
  /** The body of the response without chunked encoding; empty if it was cut short. It stays compressed if Content-Encoding names a compression. */
  readonly body: Buffer;
  /** Why the response ends before its end. The reasons are those of `WARC-Truncated`. */
  readonly truncated?: 'disconnect' | 'time' | 'length' | undefined;
}

export type RecordExchange = (exchange: Exchange) => void | Promise<void>;

/** Returns a list to which the bytes of the response are added when the connection receives them. */
export function bytesReceived(sent: ClientRequest): Buffer[] {
  const pieces: Buffer[] = [];
  sent.once('socket', (socket) => {
    const take = (piece: Buffer) => void pieces.push(piece);
    // before the parser, because the parser ends the response while it reads the last piece
    socket.prependListener('data', take);
    sent.once('close', () => socket.off('data', take));
  });
  return pieces;
}

/** Returns the head of a request, as it was sent. */
export function headOf(sent: ClientRequest): Buffer {
  const lines = sent.getRawHeaderNames().map((name) => `${name}: ${sent.getHeader(name)}`);
  return Buffer.from(`${[`${sent.method} ${sent.path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`, 'latin1');
}
