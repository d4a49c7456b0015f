import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { inPackage } from '../conformance/child.ts';
import type { Frame, Page } from './chromium.ts';

/** ReplayWeb.page on this machine, with a WACZ. */
interface Viewer {
  readonly url: string;
  /** Returns the address at which the viewer shows a page of the archive. */
  readonly urlOf: (archived: string) => string;
  /** Returns the archived document, as soon as the viewer shows it. */
  readonly document: (page: Page) => Promise<Frame>;
}

const TYPES: { readonly [suffix: string]: string } = { '.html': 'text/html', '.js': 'text/javascript' };

/** Serves ReplayWeb.page and a WACZ until the test ends. */
export async function serveViewer(wacz: string): Promise<Viewer> {
  const root = inPackage('replaywebpage');
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/history.wacz') return sendRange(wacz, request, response);
    const path = join(root, pathname === '/' ? 'index.html' : pathname);
    if (!existsSync(path)) return void response.writeHead(404).end();
    return void response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'text/plain' }).end(readFileSync(path));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    urlOf: (archived) => `${url}?source=/history.wacz#view=pages&url=${encodeURIComponent(archived)}`,
    document: archivedDocument,
  };
}

async function archivedDocument(page: Page): Promise<Frame> {
  for (;;) {
    const frame = page.frames().find((each) => /mp_\//.test(each.url()));
    if (frame !== undefined) return frame;
    await setTimeout(20);
  }
}

/** Sends a file, or the range of it that is asked for. */
function sendRange(path: string, { headers, method }: IncomingMessage, response: ServerResponse): void {
  const { size } = statSync(path);
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const start = from === '' && to !== '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  const range = headers.range === undefined ? {} : { 'Content-Range': `bytes ${start}-${end}/${size}` };
  response.writeHead(headers.range === undefined ? 200 : 206, { 'Accept-Ranges': 'bytes', 'Content-Length': end - start + 1, ...range });
  if (method === 'HEAD') response.end();
  else createReadStream(path, { start, end }).pipe(response);
}
