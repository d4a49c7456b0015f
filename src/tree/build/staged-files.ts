import { closeSync, openSync, writeFileSync, writeSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDirSync } from 'fs-extra/esm';
import { BufferedFile } from '../../contract/files/file-bytes.ts';
import type { PageSpan } from '../../pages/pagination.ts';
import { packMember } from '../../zip/member.ts';
import type { TreeForm } from '../tree-files.ts';

/** The folder in the stage of a ZIP for its spools. */
export const SPOOLS = 'spools';

/** Returns the name of the spool of a span of pages. */
export function spanSpool({ collection, index }: PageSpan): string {
  return `${collection}-${index}`;
}

/** Returns the name of the spool of a part of the browse files. */
export function partSpool(index: number): string {
  return `part-${index}`;
}

/** Where a build puts files until all of them are ready. It can be posted to another thread. */
export interface Stage {
  /** The folder for them. */
  readonly stage: string;
  /** The form of the tree that the build writes. */
  readonly form: TreeForm;
}

/** Takes the files whose bytes are new. */
export interface StagedFiles {
  /** @param pieces the bytes, in chunks */
  readonly put: (path: string, pieces: Iterable<Uint8Array>) => void;
  readonly close: () => void;
}

/**
 * Opens a stage for writing.
 * @param spool the name of the spool of a ZIP; no two writers have the same
 */
export function stagedFiles({ stage, form }: Stage, spool: string): StagedFiles {
  return form === 'zip' ? spooledMembers(join(stage, SPOOLS, spool)) : stagedFolder(stage);
}

/** Writes each file to a folder. Creates each folder once. */
function stagedFolder(stage: string): StagedFiles {
  let last = '';
  return {
    put: (path, pieces) => {
      const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      // a folder that contains the last one exists
      if (folder !== last && !last.startsWith(`${folder}/`)) ensureDirSync(join(stage, folder));
      last = folder;
      writePieces(`${stage}/${path}`, pieces);
    },
    close: () => {},
  };
}

/** Appends each file to one file, as the member of a ZIP. Creates that file for the first member. */
function spooledMembers(spool: string): StagedFiles {
  let opened: { readonly file: number; readonly writer: BufferedFile } | undefined;
  return {
    put: (path, pieces) => {
      if (opened === undefined) {
        const file = openSync(spool, 'wx');
        opened = { file, writer: new BufferedFile(file) };
      }
      opened.writer.write(packMember(path, pieces));
    },
    close: () => {
      if (opened === undefined) return;
      try {
        opened.writer.flush();
      } finally {
        closeSync(opened.file);
      }
    },
  };
}

/** The size of the chunks that are written at once, in bytes. */
const BATCH_BYTES = 1 << 23;

/** Writes chunks of memory to one file without joining them first. Joining costs as much as hashing. */
function writePieces(path: string, pieces: Iterable<Uint8Array>): void {
  const file = openSync(path, 'w');
  try {
    let [batch, bytes]: [Uint8Array[], number] = [[], 0];
    for (const piece of pieces) {
      batch.push(piece);
      bytes += piece.length;
      if (bytes < BATCH_BYTES) continue;
      writeBatch(file, batch, bytes);
      [batch, bytes] = [[], 0];
    }
    if (bytes > 0) writeBatch(file, batch, bytes);
  } finally {
    closeSync(file);
  }
}

function writeBatch(file: number, batch: readonly Uint8Array[], bytes: number): void {
  const [only] = batch;
  const written = only !== undefined && batch.length === 1 ? writeSync(file, only) : writevSync(file, batch);
  // a full disk takes only a part: writing the rest throws the error
  if (written < bytes) writeFileSync(file, Buffer.concat(batch).subarray(written));
}
