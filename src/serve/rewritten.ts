import type { IncomingMessage } from 'node:http';
import type { HttpResponse } from 'http-server';
import { accepts, type Headers, isKnown } from '../rewrite/answer.ts';
import type { TreeFiles } from '../tree/tree-files.ts';

/**
 * Lets http-server send a file of a tree: names the file in the request, and replaces headers of http-server by those that
 * hosts send.
 * @param file the path, relative to the tree
 * @returns false if there is no such file
 */
export function sendByHttpServer(
  request: IncomingMessage,
  response: HttpResponse,
  files: TreeFiles,
  file: string,
  headers: Headers,
): boolean {
  if (files.size(file) === undefined) return false;
  const { 'if-none-match': known, 'accept-encoding': encodings = '' } = request.headers;
  // http-server compares one ETag only, and sends gzip to a client that accepts deflate. A page is always sent whole.
  for (const name of ['range', 'if-range', 'if-none-match', 'if-modified-since']) delete request.headers[name];
  request.headers['accept-encoding'] = ['br', 'gzip'].filter((coding) => accepts(String(encodings), coding)).join(', ');
  request.url = `/${file}`;
  const { response: raw } = response;
  const writeHead = raw.writeHead.bind(raw);
  raw.writeHead = (status: number) => {
    for (const [name, value] of Object.entries(headers)) raw.setHeader(name, value);
    if (status !== 200 || !isKnown(known, String(raw.getHeader('ETag')))) return writeHead(status);
    raw.removeHeader('Content-Length');
    return writeHead(304);
  };
  response.emit('next');
  return true;
}
