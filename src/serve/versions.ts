import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Open } from '../rewrite/answer.ts';
import { readBuildRecord } from '../tree/build-record.ts';
import { openRegularFile } from '../tree/regular-file.ts';
import { HEAD } from '../versions/commit.ts';
import { ZipReader } from '../zip/zip-reader.ts';

/** Reads the files of a folder with versions. */
export function openFolder(folder: string): Open {
  return async (path, range) => {
    const file = await openFile(join(folder, path)).catch(() => undefined);
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
export function openZip(zip: string): Open {
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
