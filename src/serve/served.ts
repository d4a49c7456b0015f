import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { HttpResponse } from 'http-server';
import { siteForm } from '../hosting/site.ts';
import type { Source } from '../rewrite/answer.ts';
import { inFiles } from '../rewrite/files.ts';
import { PAGE_HEADERS } from '../rewrite/hosts/host.ts';
import { resolve } from '../rewrite/resolve.ts';
import { inVersions } from '../rewrite/versions.ts';
import { folderFiles } from '../tree/tree-files.ts';
import { rebased } from './rebase.ts';
import { sendByHttpServer } from './rewritten.ts';
import { openFolder, openZip } from './versions.ts';

/** A base URL in the links of pages and feeds, and the one that replaces it. */
export interface Links {
  readonly from: string;
  readonly to: string;
}

/** What a server answers from. */
export interface Served {
  /** Lets http-server answer. Returns false if it cannot. */
  readonly sendFile: (request: IncomingMessage, response: HttpResponse, base: string, links: Links) => boolean;
  /** Answers everything else. */
  readonly source: (links: Links) => Source;
}

/** Serves a folder with the files of a tree. http-server sends all files that stay unchanged. */
export function servedFiles(out: string): Served {
  const files = folderFiles(out);
  return {
    sendFile: (request, response, base, { from, to }) => {
      const { method = 'GET', url = '/' } = request;
      const [path = '', query = ''] = url.split(/\?(.*)/s);
      const { file, headers } = resolve(method, path, query, base, true);
      if (file === undefined || (from !== to && hasLinks(file))) return false;
      return sendByHttpServer(request, response, files, file, file.startsWith('rest/') ? PAGE_HEADERS : headers);
    },
    source: ({ from, to }) =>
      inFiles(async (path) => {
        if (files.size(path) === undefined) return undefined;
        const bytes = await files.readLater(path);
        return new Uint8Array(from === to ? bytes : rebased(path, bytes, from, to));
      }, []),
  };
}

const unpack = promisify(gunzip);

/** Serves a ZIP, or a folder with versions. */
export function servedVersions(out: string): Served {
  const open = siteForm(out) === 'zip' ? openZip(out) : openFolder(out);
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
