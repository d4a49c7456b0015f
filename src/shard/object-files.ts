import { hash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pauses } from '../contract/pauses.ts';
import { uploadFile } from '../storage/file-upload.ts';
import type { ListedObject, ObjectSource } from '../storage/object-source.ts';
import { type ObjectReader, openReader, openRemote, type Remote, type RemoteOptions } from '../storage/remote.ts';
import { storageErrorKind } from '../storage/storage-failure.ts';
import type { ObjectHeaders, Target } from '../storage/target.ts';
import { openSpool, type SpoolFile } from '../store/spool-file.ts';
import type { Draft, OnBytes, RunFiles, StoredFile } from './run-files.ts';

/** Snapshots can be private. */
const HEADERS: ObjectHeaders = { contentType: 'application/octet-stream', cacheControl: 'private, no-store', contentEncoding: '' };

/**
 * The files of a run as objects below a prefix. A task writes and reads temporary files in the temporary folder of its machine, because
 * it needs the texts of a file in any order. An object appears when it is whole, so no other task sees a part of it.
 */
export class ObjectFiles implements RunFiles {
  readonly address: string;
  readonly temporary: string = join(tmpdir(), 'palimpsest');
  readonly #remote: Remote;
  readonly #reader: ObjectReader;
  readonly #pauses: Pauses;

  /** @param source the objects of the target */
  constructor(target: Target, source: ObjectSource, options: RemoteOptions) {
    this.address = target.name;
    this.#remote = openRemote(target, options);
    this.#reader = openReader(source, options);
    this.#pauses = new Pauses(options.signal, options.kept ?? '');
  }

  addressOf(name: string): string {
    return `${this.address}/${name}`;
  }

  async readText(name: string): Promise<string | undefined> {
    return (await this.#remote.get(name))?.bytes.toString();
  }

  async create(name: string, text: string): Promise<void> {
    const upload = { bytes: Buffer.from(text), headers: HEADERS, digest: hash('sha256', text) };
    try {
      await this.#remote.put(name, upload, 'absent');
    } catch (error) {
      const kind = storageErrorKind(error);
      if (kind === 'conflict') return;
      if (kind !== 'unsupported') throw error;
      // without conditional writes, a later task of another run is detected, but not a simultaneous one
      if ((await this.#remote.get(name)) === undefined) await this.#remote.put(name, upload);
    }
  }

  begin(name: string): Draft {
    const { descriptor, close } = openSpool(this.temporary);
    return {
      descriptor,
      finish: (size, digest, onSent) => uploadFile(this.#remote, name, { descriptor, size }, { headers: HEADERS, digest }, onSent),
      close,
    };
  }

  async open(names: readonly string[]): Promise<(StoredFile | undefined)[]> {
    const wanted = new Set(names);
    const objects = new Map<string, ListedObject>();
    for await (const object of this.#reader.list()) if (wanted.has(object.path)) objects.set(object.path, object);
    return names.map((name) => {
      const object = objects.get(name);
      return object && this.#file(object);
    });
  }

  #file({ path, size, tag }: ListedObject): StoredFile {
    const spools: SpoolFile[] = [];
    return {
      address: this.addressOf(path),
      size,
      read: async (from, length) => {
        const pieces: Uint8Array[] = [];
        const to = Math.min(from + length, size);
        if (from < to) for await (const piece of this.#reader.read(path, { from, to }, tag)) pieces.push(piece);
        return Buffer.concat(pieces);
      },
      local: async (from, length, onReceived) => {
        const spool = openSpool(this.temporary);
        spools.push(spool);
        await this.#download(path, from, length, tag, spool, onReceived);
        return { descriptor: spool.descriptor, position: 0 };
      },
      close: () => {
        for (const spool of spools.splice(0)) spool.close();
      },
    };
  }

  async #download(path: string, from: number, length: number, tag: string, { descriptor }: SpoolFile, onReceived: OnBytes): Promise<void> {
    let position = 0;
    for await (const piece of this.#reader.read(path, { from, to: from + length }, tag)) {
      for (let done = 0; done < piece.length; ) done += writeSync(descriptor, piece, done, piece.length - done, position + done);
      position += piece.length;
      this.#pauses.check();
      onReceived(piece.length);
    }
  }
}
