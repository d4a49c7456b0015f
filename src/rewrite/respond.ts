import { type Answer, MISSING, resolve } from './resolve.ts';

/** The parts of a request that are needed; a `Request` has them. */
export interface Asked {
  readonly method: string;
  /** The absolute URL. */
  readonly url: string;
  readonly headers: { readonly get: (name: string) => string | null };
}

/** Returns the bytes of a file of the tree, or undefined if it does not exist. The path is relative to the tree. */
export type ReadFile = (path: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;

/** A content coding, and the suffix of files with that coding. */
export interface Encoding {
  readonly name: string;
  readonly suffix: string;
}

/**
 * Answers a request from the files of a tree, on any runtime with `Response` of the Fetch API. The ETag is a hash of the
 * bytes. The answer is 304 if the client has the file. A page is compressed if the tree and the client support it; browse
 * files have no compressed copies.
 * @param base the path of the base URL, such as `/api`, or ''
 * @param encodings the encodings in which the tree may have pages, in order of preference
 */
export async function respond(asked: Asked, base: string, read: ReadFile, encodings: readonly Encoding[]): Promise<Response> {
  const { path, query } = addressIn(asked.url);
  const answer = resolve(asked.method, path, query, base, true);
  if (answer.file === undefined) return short(asked, answer);
  const possible = answer.missing === undefined ? encodings : [];
  const accepted = possible.filter(({ name }) => accepts(asked.headers.get('Accept-Encoding') ?? '', name));
  for (const { name, suffix } of [...accepted, { name: '', suffix: '' }]) {
    const bytes = await read(answer.file + suffix);
    if (bytes === undefined) continue;
    const headers = new Headers(answer.headers);
    if (possible.length > 0) headers.append('Vary', 'Accept-Encoding');
    if (name !== '') headers.set('Content-Encoding', name);
    return await whole(asked, headers, bytes);
  }
  return short(asked, answer.missing ?? MISSING);
}

/** Returns the path of an absolute URL, and its query without the question mark. */
function addressIn(url: string): { readonly path: string; readonly query: string } {
  const [, path = '', query = ''] = /^[^:]*:\/\/[^/?]*([^?]*)\??(.*)$/s.exec(url) ?? [];
  return { path, query };
}

/** Answers with bytes and their ETag, or with 304 if the client has them. */
async function whole(asked: Asked, headers: Headers, bytes: Uint8Array<ArrayBuffer>): Promise<Response> {
  const etag = await etagOf(bytes);
  headers.set('ETag', etag);
  const known = (asked.headers.get('If-None-Match') ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  if (known.includes(etag) || known.includes('*')) return new Response(null, { status: 304, headers });
  headers.set('Content-Length', String(bytes.length));
  return new Response(asked.method === 'HEAD' ? null : bytes, { headers });
}

/** Answers with a short body. */
function short(asked: Asked, { status, headers, body = '' }: Answer): Response {
  const length = String(new TextEncoder().encode(body).length);
  return new Response(asked.method === 'HEAD' || body === '' ? null : body, { status, headers: { ...headers, 'Content-Length': length } });
}

/** Returns the ETag of bytes. */
async function etagOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).subarray(0, 16);
  return `"${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}"`;
}

/** Returns whether an Accept-Encoding header contains a coding without `q=0`. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
