import { createHash, hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { siteForm } from '../hosting/site.ts';
import type { Open, Source } from '../rewrite/answer.ts';
import { ifMissing, inFiles } from '../rewrite/files.ts';
import { inVersions } from '../rewrite/versions.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { openRegularFile } from '../tree/regular-file.ts';
import { folderFiles, type UnreadableFile } from '../tree/tree-files.ts';
import { HEAD } from '../versions/commit.ts';
import { ZipReader } from '../zip/zip-reader.ts';
import { rebased } from './rebase.ts';

/** A base URL in the links of pages and feeds, and the one that replaces it. */
interface Links {
  readonly from: string;
  readonly to: string;
}

/** Returns where a server finds files, for pages and feeds with these links. */
export type Served = (links: Links) => Source;

/** The encodings of pages, in order of preference. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
];

/** Serves a folder with the files of a tree. */
export function servedFiles(out: string): Served {
  const files = folderFiles(out);
  return ({ from, to }) =>
    inFiles(
      async (path) => {
        const bytes = await files.readLater(path).catch(({ cause }: UnreadableFile) => ifMissing(cause));
        return bytes && new Uint8Array(from === to ? bytes : rebased(path, bytes, from, to));
      },
      // a compressed page has the links of the tree
      from === to ? ENCODINGS : [],
    );
}

const unpack = promisify(gunzip);

/** Serves a ZIP, or a folder with versions. */
export function servedVersions(out: string): Served {
  const open = siteForm(out) === 'zip' ? openZip(out) : openFolder(out);
  return ({ from, to }) => {
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
  };
}

/** Reads the files of a folder with versions. */
export function openFolder(folder: string): Open {
  return async (path, range) => {
    const file = await openFile(join(folder, path)).catch(ifMissing);
    if (file === undefined) return undefined;
    try {
      if (range === undefined) return new Uint8Array(await file.readFile());
      const { buffer, bytesRead } = await file.read(new Uint8Array(range.length), 0, range.length, range.from);
      return buffer.subarray(0, bytesRead);
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
