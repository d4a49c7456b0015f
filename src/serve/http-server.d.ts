/** The part of http-server 14 that is used here. The community types describe a different object from the one it returns. */
declare module 'http-server' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http';

  export interface HttpServer {
    readonly server: Server;
    listen(port: number, host: string, onListening: () => void): void;
    close(): void;
  }

  export interface Options {
    readonly root: string;
    /** Called in order before the files are served; `response.emit('next')` passes a request on. */
    readonly before: readonly ((request: IncomingMessage, response: ServerResponse) => void)[];
  }

  export function createServer(options: Options): HttpServer;
}
