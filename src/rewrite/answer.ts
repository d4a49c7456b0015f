import { type Answer, decode, MISSING, resolve, UNREADABLE } from './resolve.ts';

/**
 * Answers a request, whatever holds the files of the tree. Hosts run this source too. Some hosts run an old dialect: no
 * destructuring, no default values of parameters, no `for … of`, no `??` and `?.`, no spread, and no `await` inside an
 * expression.
 */

/** The parts of a request that are needed; a `Request` has them. */
export interface Asked {
  readonly method: string;
  /** The absolute URL. */
  readonly url: string;
  readonly headers: { readonly get: (name: string) => string | null | undefined };
}

/** A range of bytes in a file. */
export interface Range {
  readonly from: number;
  readonly length: number;
}

/**
 * Reads a file of the tree, or a range of it. Returns undefined if there is no such file. The result is shorter than the
 * range if the file ends in it. Rejects if the file cannot be read.
 * @param path relative to the tree
 */
export type Open = (path: string, range?: Range) => Promise<Uint8Array<ArrayBuffer> | undefined>;

/** The headers of a response, by name. */
export type Headers = Answer['headers'];

/** The bytes to send, with their coding if there is one. */
export interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly coding?: string | undefined;
}

/** The file that answers a request, before its bytes are read. */
export interface Found {
  readonly etag: string;
  /** The headers beside those of `resolve`. */
  readonly headers: Headers;
  /** @param encodings the value of the header Accept-Encoding, or '' */
  readonly read: (encodings: string) => Promise<Content>;
}

/** A file that a request asks for. */
export interface Wanted {
  /** The path, relative to the tree. */
  readonly file: string;
  /** The answer if there is no such file. */
  readonly missing: Answer;
  readonly query: string;
  /** The state of the site that the path names after `/as_of/`. */
  readonly asOf: string | undefined;
}

/** Where the files of a site are. */
export interface Source {
  /** Whether it has earlier states, which a path with `/as_of/` names. */
  readonly hasPast: boolean;
  /** Finds a file. Returns a short answer if there is none. Rejects if it cannot be read. */
  readonly find: (wanted: Wanted, encodings: string) => Promise<Found | Answer>;
}

/** A response without the classes of a runtime. */
export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  /** Also for HEAD, where the host must leave it out; undefined for none. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** Why the file could not be read, for the log of the host. */
  readonly problem?: string;
}

/** Matches an absolute URL. Captures the path, and the query without the question mark. */
const URL_PARTS = /^[^:]*:\/\/[^/?]*([^?]*)\??([\s\S]*)$/;

/** Matches the beginning of a path below the base URL that names a state. Of `/as_of/` it matches no state, which is answered with 400. */
const AS_OF = /^\/as_of(\/[^/]+|(?=\/$))/;

/**
 * Answers a request. If a file cannot be read, tries once more, because a publish may have replaced it.
 * @param base the path of the base URL, such as `/api`, or ''
 */
export async function answer(asked: Asked, base: string, source: Source): Promise<Sent> {
  const parts = URL_PARTS.exec(asked.url) || [];
  const path = String(parts[1]);
  const query = String(parts[2]);
  const past = source.hasPast && path.startsWith(base) ? AS_OF.exec(path.slice(base.length)) : null;
  const resolved = resolve(asked.method, path, query, past ? base + past[0] : base, true);
  if (resolved.file === undefined) return short(resolved);
  const asOf = past ? decode(past[0].slice('/as_of/'.length)) : undefined;
  const wanted = { file: resolved.file, missing: resolved.missing || MISSING, query, asOf };
  const encodings = asked.headers.get('Accept-Encoding') || '';
  let problem: unknown;
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      let said = resolved;
      let found = await source.find(wanted, encodings);
      if ('status' in found && found.file !== undefined) {
        said = found;
        found = await source.find(Object.assign({}, wanted, { file: said.file, missing: said.missing }), encodings);
      }
      if ('status' in found) return short(found);
      const headers = Object.assign({}, said.headers, found.headers, { ETag: found.etag });
      const isSame = isKnown(asked.headers.get('If-None-Match'), found.etag);
      if (isSame && said.status === 200) return { status: 304, headers, body: undefined };
      const content = await found.read(encodings);
      return whole(said.status, Object.assign(headers, content.coding ? { 'Content-Encoding': content.coding } : {}), content.bytes);
    } catch (error) {
      problem = error;
    }
  }
  return Object.assign(short(UNREADABLE), { problem: `${wanted.file}: ${problem}` });
}

function short(answered: Answer): Sent {
  return whole(answered.status, answered.headers, new TextEncoder().encode(answered.body || ''));
}

function whole(status: number, headers: Headers, bytes: Uint8Array<ArrayBuffer>): Sent {
  return { status, headers: Object.assign({}, headers, { 'Content-Length': String(bytes.length) }), body: bytes };
}

/** Returns whether If-None-Match has the ETag. It compares weakly. */
export function isKnown(header: string | null | undefined, etag: string): boolean {
  const text = (header || '').trim();
  return text === '*' || (text.match(/"[^"]*"/g) || []).some((known) => known === etag.replace(/^W\//, ''));
}

/** Returns whether an Accept-Encoding header has a coding without `q=0`. */
export function accepts(header: string, coding: string): boolean {
  return header.split(',').some((part) => {
    const texts = part.split(';').map((text) => text.trim().toLowerCase());
    return texts[0] === coding && !texts.some((text) => /^q\s*=\s*0(\.0*)?$/.test(text));
  });
}

/** Returns bytes in hexadecimal. */
export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 1) text += (256 + Number(bytes[at])).toString(16).slice(1);
  return text;
}
