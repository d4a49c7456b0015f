import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IncompleteMirror, reportsIn } from '../../contract/files/incomplete-mirror.ts';
import { openZipFile } from '../unpack/open-zip-file.ts';

const BUILD_RECORD = 'build.json';
/** The largest build.json that is read, in bytes. */
const MOST_BYTES = 1 << 24;

/** Returns what a tree in a folder says that it lacks. */
export function reportsOfFolder(folder: string): readonly IncompleteMirror[] {
  try {
    return reportsIn(readFileSync(join(folder, BUILD_RECORD), 'utf8'));
  } catch {
    // a tree that cannot be read fails when its pages are read
    return [];
  }
}

/** Returns what a tree in a ZIP says that it lacks. */
export async function reportsOfZip(path: string): Promise<readonly IncompleteMirror[]> {
  const zip = await openZipFile(path).catch(() => undefined);
  if (zip === undefined) return [];
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== BUILD_RECORD || entry.uncompressedSize > MOST_BYTES) continue;
      const pieces: Uint8Array[] = [];
      for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece);
      return reportsIn(Buffer.concat(pieces).toString());
    }
    return [];
  } catch {
    // a damaged ZIP fails when its pages are read
    return [];
  } finally {
    zip.close();
  }
}
