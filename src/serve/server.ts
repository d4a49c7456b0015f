import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createServer, type HttpResponse } from 'http-server';
import { codeOf, Failure } from '../contract/failure.ts';
import { isObject } from '../contract/json.ts';
import { refuseOtherVersions, siteForm, treeAt } from '../hosting/detect-site.ts';
import { answer } from '../rewrite/answer.ts';
import { type BuildRecord, readBuildRecord } from '../tree/build-record.ts';
import { openFinishedTree } from '../tree/existing-tree.ts';
import { basePathOf } from './rebase.ts';
import { type Served, servedFiles, servedVersions } from './served-files.ts';

export interface ServeOptions {
  /** A folder with a tree or with versions, or a ZIP. */
  readonly out: string;
  readonly host: string;
  /** The port; 0 for any free port. */
  readonly port: number;
  /** Whether the links of API pages and Atom feeds point to this server instead of the base URL of the tree. */
  readonly rebase: boolean;
  /** Called if a file cannot be read. */
  readonly onProblem?: (problem: string) => void;
}

export interface RunningServer {
  /** The base URL of the server. Its path is that of the tree's base URL. */
  readonly url: string;
  readonly build: BuildRecord;
  readonly close: () => Promise<void>;
}

/**
 * Serves a tree in a folder or in a ZIP, or a folder with versions, at the path of its base URL, like the hosts of `palimpsest rewrite`.
 * @throws Failure no-tree, other-form, tree-unfinished, port-taken
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  refuseOtherVersions(options.out);
  const { files, build } = openFinishedTree(treeAt(options.out));
  files.close();
  const served = siteForm(options.out) === 'files' ? servedFiles(options.out) : servedVersions(options.out);
  const http = createServer({
    root: options.out,
    showDir: 'false',
    autoIndex: 'false',
    gzip: true,
    brotli: true,
    before: [
      (request, response) => {
        // http-server adds this header to every response, but a page is always sent whole
        response.removeHeader('Accept-Ranges');
        // the absolute form, which clients send to a proxy: every server must accept it (RFC 9112, 3.2.2)
        request.url = request.url?.replace(/^https?:\/\/[^/?]*\/?/i, '/');
        inTurn(request, response.response, () => handle(request, response, options, build, served));
      },
    ],
  });
  const { server } = http;
  limitConnections(server, options);
  // otherwise a client gets no answer if it closes its side of the connection after the request. createServer has no option for it
  Object.assign(server, { httpAllowHalfOpen: true });
  const address = await new Promise<string>((done, fail) => {
    server.once('error', (cause) => fail(cannotListen(options, cause)));
    http.listen(options.port, options.host, () => done(addressOf(server.address(), options)));
  });
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return { url: `http://${address}${basePathOf(build.base_url)}`, build, close };
}

/** Closes connections above the limit: without a free file descriptor, http-server would end the process. */
function limitConnections(server: Server, { onProblem }: ServeOptions): void {
  server.maxConnections = mostConnections();
  let isFull = false;
  server.on('connection', () => {
    isFull = false;
  });
  server.on('drop', () => {
    if (!isFull) onProblem?.(`connections are closed: ${server.maxConnections} are open, and more need more file descriptors`);
    isFull = true;
  });
}

/** How many file descriptors the process needs, and how many each connection needs: its own, a file and two compressed copies. */
const OWN_DESCRIPTORS = 36;
const DESCRIPTORS_OF_CONNECTION = 4;

/** Returns how many connections can be open at once. */
function mostConnections(): number {
  const report: unknown = process.report.getReport();
  const limits = isObject(report) ? report['userLimits'] : undefined;
  const files = isObject(limits) ? limits['open_files'] : undefined;
  const descriptors = isObject(files) ? Number(files['soft']) : Number.NaN;
  // NaN for "unlimited"
  return Number.isNaN(descriptors)
    ? Number.POSITIVE_INFINITY
    : Math.max(1, Math.floor((descriptors - OWN_DESCRIPTORS) / DESCRIPTORS_OF_CONNECTION));
}

/** How many requests of a connection can wait. With more, it is closed: each takes about 4 kB of memory. */
const MAX_WAITING = 10_000;

/** The responses of each connection that have not ended: how many, and the end of the last one. */
const openResponses = new WeakMap<Socket, { readonly count: number; readonly last: Promise<void> }>();

/** Handles a request after the responses before it on its connection: a client may send thousands of requests and read nothing. */
function inTurn({ socket }: IncomingMessage, response: ServerResponse, work: () => Promise<void>): void {
  // the destroy() of the response object of http-server would leave the connection open and the client waiting
  const run = () => work().catch(() => socket.destroy());
  const before = openResponses.get(socket);
  const count = (before?.count ?? 0) + 1;
  const last = new Promise<void>((done) => response.once('close', done));
  openResponses.set(socket, { count, last });
  if (count > MAX_WAITING) socket.destroy();
  void last.then(() => {
    const open = openResponses.get(socket);
    if (open !== undefined) openResponses.set(socket, { ...open, count: open.count - 1 });
  });
  void (before === undefined ? run() : before.last.then(run));
}

async function handle(
  request: IncomingMessage,
  response: HttpResponse,
  options: ServeOptions,
  atStart: BuildRecord,
  served: Served,
): Promise<void> {
  // the tree may have been rebuilt since the server started
  const record = readBuildRecord(treeAt(options.out));
  const { base_url: from } = typeof record === 'object' ? record : atStart;
  const origin = options.rebase ? originOf(request) : undefined;
  const base = basePathOf(from);
  const links = { from, to: origin === undefined ? from : origin + base };
  const { method = 'GET', url = '/', headers } = request;
  const answerHere = async () => {
    const asked = { method, url: `http://tree${url}`, headers: { get: (name: string) => headers[name.toLowerCase()]?.toString() } };
    const sent = await answer(asked, base, served.source(links));
    if (sent.problem !== undefined) options.onProblem?.(sent.problem);
    response.writeHead(sent.status, { ...sent.headers });
    response.end(method === 'HEAD' ? undefined : sent.body);
  };
  const isSent = served.sendFile(request, response, base, links, () => void answerHere().catch(() => request.socket.destroy()));
  if (!isSent) await answerHere();
}

/** Returns the origin at which the client reached this server; undefined if the Host header is unusable. */
function originOf(request: IncomingMessage): string | undefined {
  const host = request.headers.host ?? '';
  return /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : undefined;
}

function cannotListen({ host, port }: ServeOptions, cause: Error): Failure {
  const taken = codeOf(cause) === 'EADDRINUSE';
  return new Failure('port-taken', `cannot listen on ${host}:${port}`, {
    expected: 'a free address and port',
    found: taken ? 'another program on this port' : cause.message,
    hint: taken
      ? 'choose another port with --port, or any free port with --port 0'
      : 'choose another address or port with --host and --port',
    cause,
  });
}

function addressOf(address: ReturnType<Server['address']>, { host, port }: ServeOptions): string {
  const actual = address === null || typeof address === 'string' ? port : address.port;
  return `${host.includes(':') ? `[${host}]` : host}:${actual}`;
}
