import { createHash, hash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { HttpResponse } from 'http-server';
import { readHandleFully } from '../contract/files/file-bytes.ts';
import { siteForm } from '../hosting/detect-site.ts';
import { accepts, type Headers, isKnown, type Open, type Source } from '../rewrite/answer.ts';
import { inFiles } from '../rewrite/files.ts';
import { PAGE_HEADERS } from '../rewrite/hosts/host.ts';
import { resolve } from '../rewrite/resolve.ts';
import { inVersions } from '../rewrite/versions.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { openRegularFile } from '../tree/regular-file.ts';
import { folderFiles } from '../tree/tree-files.ts';
import { HEAD } from '../versions/commit-format.ts';
import { ZipReader } from '../zip/zip-reader.ts';
import { rebased } from './rebase.ts';

/** A base URL in the links of pages and feeds, and the one that replaces it. */
interface Links {
  readonly from: string;
  readonly to: string;
}

/** What a server answers from. */
export interface Served {
  /**
   * Lets http-server answer. Returns false if it cannot.
   * @param onUnreadable called if http-server cannot read the file: nothing is sent then
   */
  readonly sendFile: (request: IncomingMessage, response: HttpResponse, base: string, links: Links, onUnreadable: () => void) => boolean;
  /** Answers everything else. */
  readonly source: (links: Links) => Source;
}

/** Serves a folder with the files of a tree. http-server sends all files that stay unchanged. */
export function servedFiles(out: string): Served {
  const files = folderFiles(out);
  const has = (path: string) => files.size(path) !== undefined && isInside(out, path);
  return {
    sendFile: (request, response, base, { from, to }, onUnreadable) => {
      const { method = 'GET', url = '/' } = request;
      const [path = '', query = ''] = url.split(/\?(.*)/s);
      const { status, file, headers } = resolve(method, path, query, base, true);
      if (status !== 200 || file === undefined || (from !== to && hasLinks(file)) || !has(file)) return false;
      sendByHttpServer(request, response, has, file, file.startsWith('rest/') ? PAGE_HEADERS : headers, onUnreadable);
      return true;
    },
    source: ({ from, to }) =>
      inFiles(async (path) => {
        if (!has(path)) return undefined;
        const bytes = files.read(path);
        return new Uint8Array(from === to ? bytes : rebased(path, bytes, from, to));
      }, []),
  };
}

/** Whether a path leads to a file of a folder. A symbolic link can lead out of it. */
function isInside(folder: string, path: string): boolean {
  try {
    return realpathSync.native(join(folder, path)).startsWith(realpathSync.native(folder) + sep);
  } catch {
    return false;
  }
}

const unpack = promisify(gunzip);

/** Serves a ZIP, or a folder with versions. */
export function servedVersions(out: string): Served {
  const open = siteForm(out) === 'zip' ? openZip(out) : openInside(out);
  return {
    sendFile: () => false,
    source: ({ from, to }) => {
      const { hasPast, find } = inVersions(open, {
        sha256: (text) => createHash('sha256').update(text).digest(),
        gunzip: async (bytes) => new Uint8Array(await unpack(bytes)),
        baseUrl: to,
      });
      return {
        hasPast,
        find: async (wanted, encodings) => {
          const found = await find(wanted, encodings);
          if (from === to || !wanted.file.endsWith('.atom') || 'status' in found) return found;
          const read = async () => ({ bytes: new Uint8Array(rebased(wanted.file, Buffer.from((await found.read('')).bytes), from, to)) });
          return { ...found, read };
        },
      };
    },
  };
}

/** Returns whether a file has links that begin with the base URL. */
function hasLinks(file: string): boolean {
  return file.endsWith('.json') || file.endsWith('.atom');
}

/**
 * Lets http-server send a file of a tree: names the file in the request, and replaces headers of http-server by those that
 * hosts send.
 * @param has whether the tree has a file
 * @param file the path, relative to the tree
 * @param onUnreadable called if http-server cannot read the file. It would send a page of HTML, or end the process after the first bytes
 */
function sendByHttpServer(
  request: IncomingMessage,
  response: HttpResponse,
  has: (path: string) => boolean,
  file: string,
  headers: Headers,
  onUnreadable: () => void,
): void {
  const { 'if-none-match': known, 'accept-encoding': encodings = '' } = request.headers;
  // http-server compares one ETag only, and sends gzip to a client that accepts deflate. A page is always sent whole.
  for (const name of ['range', 'if-range', 'if-none-match', 'if-modified-since']) delete request.headers[name];
  request.headers['accept-encoding'] = [
    { coding: 'br', copy: `${file}.br` },
    { coding: 'gzip', copy: `${file}.gz` },
  ]
    .filter(({ coding, copy }) => accepts(String(encodings), coding) && has(copy))
    .map(({ coding }) => coding)
    .join(', ');
  request.url = `/${file}`;
  const { response: raw } = response;
  const writeHead = raw.writeHead.bind(raw);
  raw.writeHead = (status: number) => {
    for (const [name, value] of Object.entries(headers)) raw.setHeader(name, value);
    if (status !== 200 || !isKnown(known, String(raw.getHeader('ETag')))) return writeHead(status);
    raw.removeHeader('Content-Length');
    return writeHead(304);
  };
  const end = response.end.bind(response);
  Object.assign(response, {
    setHeader: (name: string, value: string) => (raw.headersSent ? raw : raw.setHeader(name, value)),
    end: (data?: Uint8Array) => {
      if (raw.statusCode !== 500) return end(data);
      if (raw.headersSent) return raw.destroy();
      for (const name of raw.getHeaderNames()) raw.removeHeader(name);
      raw.writeHead = writeHead;
      onUnreadable();
      return raw;
    },
  });
  response.emit('next');
}

/** Reads the files of a folder, except those to which a symbolic link leads out of it. */
function openInside(folder: string): Open {
  const open = openFolder(folder);
  return async (path, range) => (isInside(folder, path) ? open(path, range) : undefined);
}

/** Reads the files of a folder with versions. */
export function openFolder(folder: string): Open {
  return async (path, range) => {
    const file = await openFile(join(folder, path)).catch(() => undefined);
    if (file === undefined) return undefined;
    try {
      if (range === undefined) return new Uint8Array(await file.readFile());
      const bytes = new Uint8Array(range.length);
      return bytes.subarray(0, await readHandleFully(file, bytes, range.from));
    } finally {
      await file.close();
    }
  };
}

/**
 * Reads a ZIP like a folder that has it as its only version. A build may replace the ZIP at any time.
 */
function openZip(zip: string): Open {
  const open = openFolder('');
  let known = { identity: '', head: new Uint8Array() };
  return async (path, range) => {
    if (path !== HEAD) return open(path, range);
    const { ino, size, mtimeMs, mtime } = statSync(zip);
    const identity = `${ino} ${size} ${mtimeMs}`;
    if (known.identity !== identity) known = { identity, head: new TextEncoder().encode(headOf(zip, mtime)) };
    return known.head;
  };
}

/** Returns the `head.json` of a site that has a ZIP as its only version. */
function headOf(zip: string, time: Date): string {
  const record = readBuildRecord(zip);
  const base_url = typeof record === 'object' ? record.base_url : '';
  const reader = new ZipReader(openRegularFile(zip));
  const versions = [{ number: 1, time: time.toISOString(), file: zip, index: reader.index }];
  reader.close();
  const text = JSON.stringify({ kind: 'site', base_url, versions }).slice(0, -1);
  return `${text},"digest":"${hash('sha256', text)}"}`;
}
