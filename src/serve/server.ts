import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createServer } from 'http-server';
import { Failure } from '../contract/failure.ts';
import { respond } from '../rewrite/respond.ts';
import { type BuildRecord, readBuildRecord } from '../tree/build-record.ts';
import { requireTree } from '../tree/existing-tree.ts';
import { readRegularFile } from '../tree/regular-file.ts';
import { rebase } from './rebase.ts';

export interface ServeOptions {
  readonly out: string;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Whether links lead back to this server instead of to the base URL of the tree. */
  readonly rebase: boolean;
}

export interface RunningServer {
  /** The base URL at which it answers: the path is that of the tree's. */
  readonly url: string;
  readonly build: BuildRecord;
  readonly close: () => Promise<void>;
}

/** The variant of a page that is compressed when it is asked for: its links may be others than those of the tree's own. */
const GZIP = { name: 'gzip', suffix: '.gz' };

/**
 * Serves a tree at the path of its base URL, as the hosts of `palimpsest rewrite` do.
 * @throws Failure no-tree, tree-unfinished, port-taken
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const build = requireTree(options.out);
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
    // every request is answered before the files: a tree has none that hosts answer as they are
    before: [(request, response) => void handle(request, response, options, build).catch(() => response.destroy())],
  });
  return { server: http.server, listen: (done) => http.listen(options.port, options.host, done) };
}

async function handle(request: IncomingMessage, response: ServerResponse, options: ServeOptions, build: BuildRecord): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  const base = currentBase(options.out, build);
  const origin = options.rebase ? originOf(request) : undefined;
  const asked = { method, url: `http://tree${url}`, headers: { get: (name: string) => String(headers[name.toLowerCase()] ?? '') } };
  const answer = await respond(asked, basePathOf(base), (path) => readPage(options.out, path, base, origin), [GZIP]);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}

const compress = promisify(gzip);

/**
 * A page as this server answers it; undefined where there is none.
 * @param origin where its links are to lead; undefined where they stay as they are
 */
async function readPage(out: string, path: string, base: string, origin: string | undefined): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (path.endsWith(GZIP.suffix)) {
    const page = await readPage(out, path.slice(0, -GZIP.suffix.length), base, origin);
    return page === undefined ? undefined : new Uint8Array(await compress(page));
  }
  try {
    const page = readRegularFile(join(out, path));
    return new Uint8Array(origin === undefined ? page : rebase(page, base, origin + basePathOf(base)));
  } catch {
    return undefined;
  }
}

/** The path of a base URL, as it stands there; '' at the root of its host. */
function basePathOf(base: string): string {
  return new URL(base).pathname.replace(/\/$/, '');
}

/** The base URL in the pages as they are now: the tree may have been built anew. */
function currentBase(out: string, atStart: BuildRecord): string {
  const record = readBuildRecord(out);
  return typeof record === 'object' ? record.base_url : atStart.base_url;
}

/** The address that the client reached this server at; undefined where it says nothing usable. */
function originOf(request: IncomingMessage): string | undefined {
  const host = request.headers.host ?? '';
  return /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : undefined;
}

function cannotListen({ host, port }: ServeOptions, cause: Error): Failure {
  const taken = 'code' in cause && cause.code === 'EADDRINUSE';
  return new Failure('port-taken', `cannot listen on ${host}:${port}`, {
    expected: 'an address and port that are free',
    found: taken ? 'another program there' : cause.message,
    hint: taken ? 'choose another with --port, or --port 0 for any that is free' : 'choose another with --host and --port',
    cause,
  });
}

function addressOf(address: ReturnType<ReturnType<typeof createServer>['server']['address']>, { host, port }: ServeOptions): string {
  const actual = address === null || typeof address === 'string' ? port : address.port;
  return `${host.includes(':') ? `[${host}]` : host}:${actual}`;
}
