import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createServer } from 'http-server';
import { Failure } from '../contract/failure.ts';
import { inFiles } from '../rewrite/files.ts';
import { respond } from '../rewrite/respond.ts';
import { type BuildRecord, readBuildRecord } from '../tree/build-record.ts';
import { openFinishedTree } from '../tree/existing-tree.ts';
import { readRegularFile } from '../tree/regular-file.ts';
import { basePathOf, rebaseFeed, rebasePage } from './rebase.ts';

export interface ServeOptions {
  readonly out: string;
  readonly host: string;
  /** The port; 0 for any free port. */
  readonly port: number;
  /** Whether the links of API pages and Atom feeds point to this server instead of the base URL of the tree. */
  readonly rebase: boolean;
}

export interface RunningServer {
  /** The base URL of the server. Its path is that of the tree's base URL. */
  readonly url: string;
  readonly build: BuildRecord;
  readonly close: () => Promise<void>;
}

/** The compressed variant of a page. It is made on request, because its links may differ from those in the tree. */
const GZIP = { name: 'gzip', suffix: '.gz' };

/**
 * Serves a tree at the path of its base URL, like the hosts of `palimpsest rewrite`.
 * @throws Failure no-tree, tree-unfinished, port-taken
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const build = openFinishedTree(options.out).build;
  const { server, listen } = serverFor(options, build);
  const address = await new Promise<string>((done, fail) => {
    server.once('error', (cause) => fail(cannotListen(options, cause)));
    listen(() => done(addressOf(server.address(), options)));
  });
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return { url: `http://${address}${basePathOf(build.base_url)}`, build, close };
}

function serverFor(
  options: ServeOptions,
  build: BuildRecord,
): { readonly server: ReturnType<typeof createServer>['server']; readonly listen: (done: () => void) => void } {
  const http = createServer({
    root: options.out,
    // answers every request here: hosts serve no file of a tree under its own path
    before: [
      (request, response) => {
        // http-server adds this header to every response, but a page is always sent whole
        response.removeHeader('Accept-Ranges');
        // the destroy() of its response object would leave the connection open and the client waiting
        handle(request, response, options, build).catch(() => request.socket.destroy());
      },
    ],
  });
  return { server: http.server, listen: (done) => http.listen(options.port, options.host, done) };
}

async function handle(request: IncomingMessage, response: ServerResponse, options: ServeOptions, build: BuildRecord): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  const origin = options.rebase ? originOf(request) : undefined;
  const webRequest = { method, url: `http://tree${url}`, headers: { get: (name: string) => String(headers[name.toLowerCase()] ?? '') } };
  const { base_url: base } = currentTree(options.out, build);
  const source = inFiles((path) => readPage(options.out, path, base, origin), [GZIP]);
  const answer = await respond(webRequest, basePathOf(base), source, () => {});
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}

const compress = promisify(gzip);

/**
 * Reads a page in the form in which this server sends it.
 * @param origin the origin for the links of the page; undefined to keep the links
 * @returns undefined if there is no such page
 */
async function readPage(out: string, path: string, base: string, origin: string | undefined): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (path.endsWith(GZIP.suffix)) {
    const page = await readPage(out, path.slice(0, -GZIP.suffix.length), base, origin);
    return page === undefined ? undefined : new Uint8Array(await compress(page));
  }
  try {
    const page = readRegularFile(join(out, path));
    return new Uint8Array(origin === undefined ? page : rebased(path, page, base, origin + basePathOf(base)));
  } catch {
    return undefined;
  }
}

/** Returns a file with links that begin with another base URL. Other files than those of the API and feeds have no such link. */
function rebased(path: string, file: Buffer, from: string, to: string): Buffer {
  if (path.endsWith('.json')) return rebasePage(file, from, to);
  return path.endsWith('.atom') ? rebaseFeed(file, from, to) : file;
}

/** Returns what a server knows about the present tree: it may have been rebuilt since the server started. */
function currentTree(out: string, atStart: BuildRecord): BuildRecord {
  const record = readBuildRecord(out);
  return typeof record === 'object' ? record : atStart;
}

/** Returns the origin at which the client reached this server; undefined if the Host header is unusable. */
function originOf(request: IncomingMessage): string | undefined {
  const host = request.headers.host ?? '';
  return /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : undefined;
}

function cannotListen({ host, port }: ServeOptions, cause: Error): Failure {
  const taken = 'code' in cause && cause.code === 'EADDRINUSE';
  return new Failure('port-taken', `cannot listen on ${host}:${port}`, {
    expected: 'a free address and port',
    found: taken ? 'another program on this port' : cause.message,
    hint: taken
      ? 'choose another port with --port, or any free port with --port 0'
      : 'choose another address or port with --host and --port',
    cause,
  });
}

function addressOf(address: ReturnType<ReturnType<typeof createServer>['server']['address']>, { host, port }: ServeOptions): string {
  const actual = address === null || typeof address === 'string' ? port : address.port;
  return `${host.includes(':') ? `[${host}]` : host}:${actual}`;
}
