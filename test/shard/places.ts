import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FolderFiles } from '../../src/shard/folder-files.ts';
import { ObjectFiles } from '../../src/shard/object-files.ts';
import type { RunFiles } from '../../src/shard/run-files.ts';
import { openTarget } from '../../src/storage/address.ts';
import { openReader } from '../../src/storage/remote.ts';
import { ceph, S3_KEYS, startCeph } from '../publish/stores.ts';
import { filesIn, temporaryFolder } from '../support/folder.ts';

/** A new place for the files of a run. */
export interface Place {
  readonly files: RunFiles;
  /** Returns the bytes of all files by their names. */
  readonly contents: () => Promise<ReadonlyMap<string, Buffer>>;
  /** Returns how many uploads in parts are unfinished. */
  readonly unfinished: () => Promise<number>;
  /** Replaces a file without the code under test. */
  readonly write: (name: string, bytes: Buffer) => Promise<void>;
}

/** A kind of place, while its server runs. */
export interface Places {
  /** @param signal stops the requests of the place */
  readonly create: (signal?: AbortSignal) => Promise<Place>;
  readonly stop: () => Promise<void>;
}

function folderPlace(): Place {
  const path = join(temporaryFolder(), 'run');
  return {
    files: new FolderFiles(path),
    contents: async () => (existsSync(path) ? filesIn(path) : new Map()),
    unfinished: async () => 0,
    write: async (name, bytes) => writeFileSync(join(path, name), bytes),
  };
}

async function cephPlaces(): Promise<Places> {
  Object.assign(process.env, S3_KEYS);
  const store = await startCeph();
  const { S3Client, ListMultipartUploadsCommand, PutObjectCommand } = await import('@aws-sdk/client-s3');
  const client = new S3Client({ endpoint: store.endpoint, region: 'us-east-1', forcePathStyle: true });
  const closers: (() => void)[] = [() => client.destroy()];
  let runs = 0;
  const create = async (signal = new AbortController().signal): Promise<Place> => {
    runs += 1;
    const prefix = `runs/run ${runs}`;
    const target = await openTarget(`s3://history/${prefix}`, '', { endpoint: store.endpoint, connections: 8, secrets: {} });
    closers.push(() => target.close());
    const source = target.source?.();
    if (source === undefined) throw new Error('S3 has no source');
    const options = { concurrency: 8, retryPolicy: { attempts: 3, timeout: 20_000 }, signal };
    const contents = async () => {
      const reader = openReader(source, { ...options, signal: new AbortController().signal });
      const found: [string, Buffer][] = [];
      for await (const { path } of reader.list()) {
        const pieces: Uint8Array[] = [];
        for await (const piece of reader.read(path)) pieces.push(piece);
        found.push([path, Buffer.concat(pieces)]);
      }
      return new Map(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    };
    const write = async (name: string, Body: Buffer) => {
      await client.send(new PutObjectCommand({ Bucket: 'history', Key: `${prefix}/${name}`, Body }));
    };
    const unfinished = async () => {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'history', Prefix: `${prefix}/` }));
      return Uploads.length;
    };
    return { files: new ObjectFiles(target, source, options), contents, unfinished, write };
  };
  const stop = async () => {
    for (const close of closers) close();
    await store.stop();
  };
  return { create, stop };
}

interface PlaceKind {
  readonly name: string;
  readonly isRemote: boolean;
  readonly skip: boolean;
  readonly start: () => Promise<Places>;
}

/** All kinds of places. */
export const PLACES: readonly PlaceKind[] = [
  { name: 'a folder', isRemote: false, skip: false, start: async () => ({ create: async () => folderPlace(), stop: async () => {} }) },
  { name: 'an object store (Ceph)', isRemote: true, skip: ceph.skip, start: cephPlaces },
];
