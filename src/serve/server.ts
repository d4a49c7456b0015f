import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createServer } from 'http-server';
import { Failure } from '../contract/failure.ts';
import { type Answer, MISSING, resolve } from '../rewrite/resolve.ts';
import { type BuildRecord, readBuildRecord } from '../tree/build-record.ts';
import { builtTree } from '../tree/found-tree.ts';
import { rebase } from './rebase.ts';

export interface ServeOptions {
  readonly out: string;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Whether links lead back to this server instead of to the base URL. */
  readonly rebase: boolean;
}

export interface RunningServer {
  /** Where it answers, without a slash at the end. */
  readonly url: string;
  readonly build: BuildRecord;
  readonly close: () => Promise<void>;
}

/**
 * Serves a tree as a rewrite layer in front of static files would.
 * @throws Failure no-tree, tree-unfinished, port-taken
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const build = builtTree(options.out);
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
  return { url: `http://${address}`, build, close };
}

function serverFor(
  options: ServeOptions,
  build: BuildRecord,
): { readonly server: ReturnType<typeof createServer>['server']; readonly listen: (done: () => void) => void } {
  const http = createServer({
    root: options.out,
    // its ETags are made of size and time: nothing that it answers is to be stored
    cache: -1,
    showDir: false,
    showDotfiles: false,
    autoIndex: false,
    cors: true,
    before: [(request, response) => void handle(request, response, options, build).catch(() => response.destroy())],
  });
  return { server: http.server, listen: (done) => http.listen(options.port, options.host, done) };
}

/** The files beside the collections, which http-server answers for itself. */
const STATIC = /^\/(build\.json|manifest-sha256\.txt|sort-keys\.txt|rest\/(data|account)\/(page\/(\d{1,15}|last)\/)?index\.json)$/;

async function handle(request: IncomingMessage, response: ServerResponse, options: ServeOptions, build: BuildRecord): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const mark = url.indexOf('?');
  const [path, query] = mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
  if (STATIC.test(path) && (method === 'GET' || method === 'HEAD')) {
    response.emit('next');
    return;
  }
  const answer = resolve(method, path, query);
  const page = answer.file === undefined ? undefined : await readFile(join(options.out, answer.file)).catch(() => undefined);
  if (page === undefined)
    return send(
      request,
      response,
      answer.file === undefined ? answer : MISSING,
      Buffer.from((answer.file === undefined ? answer : MISSING).body ?? ''),
    );
  const here = options.rebase ? originOf(request) : undefined;
  return send(request, response, answer, here === undefined ? page : rebase(page, currentBase(options.out, build), here));
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

const compress = promisify(gzip);

async function send(request: IncomingMessage, response: ServerResponse, answer: Answer, plain: Buffer): Promise<void> {
  const headers: Record<string, string> = { ...answer.headers };
  let body = plain;
  if (answer.file !== undefined) {
    const packed = takesGzip(request.headers['accept-encoding']);
    const etag = `"${hash('sha256', plain).slice(0, 32)}${packed ? '-gzip' : ''}"`;
    headers['ETag'] = etag;
    headers['Accept-Ranges'] = 'none';
    headers['Vary'] = `${headers['Vary']}, Accept-Encoding`;
    if (isKnown(request.headers['if-none-match'], etag)) {
      response.writeHead(304, headers);
      response.end();
      return;
    }
    if (packed) {
      headers['Content-Encoding'] = 'gzip';
      body = await compress(plain);
    }
  }
  headers['Content-Length'] = String(body.length);
  response.writeHead(answer.status, headers);
  response.end(request.method === 'HEAD' ? undefined : body);
}

function takesGzip(accepted: string | string[] | undefined): boolean {
  return /(^|[\s,])gzip\s*($|,|;(?!\s*q=0(\.0*)?\s*($|,)))/i.test(String(accepted ?? ''));
}

function isKnown(known: string | undefined, etag: string): boolean {
  const etags = (known ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return etags.includes(etag) || etags.includes('*');
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
