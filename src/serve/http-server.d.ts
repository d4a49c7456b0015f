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

  export interface Options {
    readonly root: string;
    readonly showDir: 'false';
    readonly autoIndex: 'false';
    /** Called in order before http-server looks for a file. */
    readonly before: readonly ((request: IncomingMessage, response: ServerResponse) => void)[];
  }

  export function createServer(options: Options): HttpServer;
}
