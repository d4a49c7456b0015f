/** What is used here of http-server 14. (Its community types describe another object than it returns.) */
declare module 'http-server' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http';

  export interface HttpServer {
    readonly server: Server;
    listen(port: number, host: string, onListening: () => void): void;
    close(): void;
  }

  export interface Options {
    readonly root: string;
    /** Asked in order before the files; `response.emit('next')` passes a request on. */
    readonly before: readonly ((request: IncomingMessage, response: ServerResponse) => void)[];
  }

  export function createServer(options: Options): HttpServer;
}
