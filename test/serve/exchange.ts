import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

/** The response of a server. */
export interface Exchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The raw names of the headers, including repeats; undefined if the client does not provide them. */
  readonly names?: readonly string[];
  readonly body: Buffer;
}

/** Sends one request with an unchanged path. Decodes nothing and follows no redirects. */
export function ask(url: string, path: string, method = 'GET', headers: Readonly<Record<string, string>> = {}): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const names = response.rawHeaders.filter((_, index) => index % 2 === 0);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, names, body: Buffer.concat(chunks) });
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}

/**
 * Sends a text in Latin-1 over a new connection, so that it can have any byte. Returns all received bytes when the connection ends.
 * @param isEnd whether the client sends nothing more: a server waits for the rest of a broken request
 */
export function sendRaw(url: string, bytes: string, isEnd = false): Promise<Buffer> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => {}); // the server may close the connection after an invalid request
    socket.once('close', () => resolve(Buffer.concat(chunks)));
    if (isEnd) socket.end(bytes, 'latin1');
    else socket.write(bytes, 'latin1');
  });
}

/** Returns the status and the body of one raw response. */
export function parseRaw(answer: Buffer): { readonly status: number; readonly body: Buffer } {
  const end = answer.indexOf('\r\n\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(answer.toString('latin1', 0, 20))?.[1];
  return { status: Number(status ?? 0), body: end === -1 ? Buffer.alloc(0) : answer.subarray(end + 4) };
}
