/**
 * The part of http-server 14 that is used here. The package has no types of its own. With @types/http-server 0.12,
 * `createServer` returns a Server of Node.js. In fact it returns an object that has such a server in `server`.
 */
declare module 'http-server' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http';

  export interface HttpServer {
    readonly server: Server;
    listen(port: number, host: string, onListening: () => void): void;
    close(): void;
  }

  /** A response that passes everything on to that of Node.js. It emits `next` to let http-server go on. */
  export interface HttpResponse extends ServerResponse {
    readonly response: ServerResponse;
  }

  export interface Options {
    readonly root: string;
    readonly showDir: 'false';
    readonly autoIndex: 'false';
    /** Whether `.gz` and `.br` files beside a file are sent to clients that accept them. */
    readonly gzip: true;
    readonly brotli: true;
    /** Called in order before the files are served. */
    readonly before: readonly ((request: IncomingMessage, response: HttpResponse) => void)[];
  }

  export function createServer(options: Options): HttpServer;
}
