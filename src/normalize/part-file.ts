import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { codeOf, fileSystemFailure } from '../contract/failure.ts';
import { behindLinks } from '../contract/files/draft-file.ts';
import { writeFully } from '../contract/files/file-bytes.ts';
import { mkdirp } from '../contract/files/mkdirp.ts';
import { refuseDatabase } from '../contract/files/refuse-output.ts';
import { openTemporaryFile } from '../contract/files/temporary-file.ts';
import { uploadFile } from '../storage/file-upload.ts';
import type { Remote } from '../storage/remote.ts';

/** A part that is being written. */
interface Draft {
  readonly descriptor: number;
  /** Gives it its name. Another run with the same name may have done that at the same time. */
  readonly finish: (size: number, sha256: string) => Promise<void>;
  /** Closes it. Without `finish`, nothing has changed. */
  readonly close: () => void;
}

/** Where a part is written. It appears when it is whole. */
export interface PartFile {
  readonly address: string;
  /** The path beside which temporary files are created. */
  readonly temporary: string;
  readonly begin: () => Draft;
}

/**
 * A file of this machine. Its folder is created if it is missing. If the path is a symbolic link, the
 * link stays and its target is replaced.
 * @throws Failure not-ours if it is a database, file-system
 */
export function localPart(address: string): PartFile {
  refuseDatabase(address);
  let path = address;
  try {
    path = behindLinks(address);
    mkdirp(dirname(path));
  } catch (error) {
    throw partFailure({ address, temporary: path }, error);
  }
  const folder = dirname(path);
  // hidden: a source that is a folder does not contain it
  const hidden = `.${basename(path)}.`;
  const file = { address, temporary: join(folder, `${hidden}temporary`) };
  return {
    ...file,
    begin: () => {
      const draft = join(folder, `${hidden}${randomUUID()}.draft`);
      const descriptor = openSync(draft, 'wx');
      return {
        descriptor,
        finish: async () => {
          fsyncSync(descriptor);
          try {
            renameSync(draft, path);
          } catch (error) {
            // another run has written the same part meanwhile, and removed all drafts
            if (codeOf(error) !== 'ENOENT' || !statSync(path).isFile()) throw error;
          }
          for (const entry of readdirSync(folder))
            if (entry.startsWith(hidden) && entry.endsWith('.draft')) rmSync(join(folder, entry), { force: true });
        },
        close: () => {
          closeSync(descriptor);
          rmSync(draft, { force: true });
        },
      };
    },
  };
}

/** Snapshots can be private. */
const HEADERS = { contentType: 'application/octet-stream', cacheControl: 'private, no-store', contentEncoding: '' };

/** An object. Until it is sent, it is a temporary file of this machine. */
export function objectPart(remote: Remote, name: string, onSent: (bytes: number) => void): PartFile {
  const temporary = join(tmpdir(), 'palimpsest');
  return {
    address: `${remote.name}/${name}`,
    temporary,
    begin: () => {
      const { descriptor, close } = openTemporaryFile(temporary);
      const finish = (size: number, digest: string) => uploadFile(remote, name, { descriptor, size }, { headers: HEADERS, digest }, onSent);
      return { descriptor, finish, close };
    },
  };
}

/**
 * Writes a part, compressed if its name ends in .gz. The same texts give the same bytes.
 * @returns its size in bytes
 */
export async function writePart(file: PartFile, texts: AsyncIterable<string>): Promise<number> {
  const draft = file.begin();
  try {
    const sha256 = createHash('sha256');
    let size = 0;
    const write = async (pieces: AsyncIterable<Buffer>): Promise<void> => {
      for await (const piece of pieces) {
        writeFully(draft.descriptor, piece, size);
        sha256.update(piece);
        size += piece.length;
      }
    };
    const bytes = Readable.from(texts, { objectMode: false });
    await (file.address.endsWith('.gz') ? pipeline(bytes, createGzip({ level: 1 }), write) : pipeline(bytes, write));
    await draft.finish(size, sha256.digest('hex'));
    return size;
  } finally {
    draft.close();
  }
}

/** Converts an error of the file system to a Failure. Returns any other error unchanged. */
export function partFailure({ address, temporary }: Pick<PartFile, 'address' | 'temporary'>, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const expected = `a writable folder, and enough free space in ${dirname(temporary)}`;
  const hint = 'check the folder, its permissions and the free space, then run the same command again';
  return fileSystemFailure(error, address, { expected, hint });
}
