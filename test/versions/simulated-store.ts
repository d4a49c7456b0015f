import { hash } from 'node:crypto';
import { StorageError } from '../../src/storage/storage-error.ts';
import type { Condition, PartsUpload, Target, Upload } from '../../src/storage/target.ts';

/** What a store does with the condition of a write. A store that checks first and writes later lets two creates succeed. */
export type Conditions = 'kept' | 'ignored' | 'checked first' | 'unsupported';

/** What happens to one request of a client: it is carried out or not, and its response arrives or not. */
export type Fate = 'done' | 'lost answer' | 'no answer' | 'killed before' | 'killed after';

/** The error of a client that was killed. All its later requests throw it, so nothing that it does has an effect. */
export class Killed extends Error {}

interface Stored {
  readonly bytes: Buffer;
  readonly tag: string;
  /** What came with the bytes; undefined if another program wrote them. */
  readonly upload: Omit<Upload, 'bytes'> | undefined;
}

/** How many objects one response lists, as at S3. */
const LIST_LENGTH = 1_000;

/** An object store in memory, with faults. */
export class SimulatedStore {
  readonly objects: Map<string, Stored> = new Map();
  readonly uploads: Map<string, { readonly path: string; readonly parts: Map<number, Buffer> }> = new Map();
  /** The different bytes that were ever stored at each path. */
  readonly written: Map<string, Set<string>> = new Map();
  conditions: Conditions = 'kept';
  isVersioned = false;
  #serial = 0;

  put(path: string, bytes: Uint8Array, upload?: Omit<Upload, 'bytes'>): string {
    const stored = { bytes: Buffer.from(bytes), tag: `"${hash('md5', bytes)}"`, upload };
    this.objects.set(path, stored);
    this.written.set(path, (this.written.get(path) ?? new Set()).add(hash('sha256', bytes)));
    return stored.tag;
  }

  text(path: string): string | undefined {
    return this.objects.get(path)?.bytes.toString();
  }

  /**
   * Returns a client. Each request waits for its turn, and then has a fate. Without turns, all are done at once.
   * @param keepsHeaders whether small objects are sent in one request
   */
  client(turn: (action: string, path: string) => Promise<Fate> = async () => 'done', keepsHeaders = true): Target {
    const store = this;
    let isKilled = false;
    const request = async <T>(action: string, path: string, work: () => T | Promise<T>): Promise<T> => {
      if (isKilled) throw new Killed();
      const fate = await turn(action, path);
      if (fate === 'killed before' || fate === 'killed after') isKilled = true;
      if (fate === 'no answer') throw new StorageError('transient', 'simulated: the request was lost');
      try {
        const result = fate === 'killed before' ? undefined : await work();
        if (fate === 'lost answer') throw new StorageError('transient', 'simulated: the response was lost');
        // only a kill leaves it undefined
        if (!isKilled) return result as T;
      } catch (error) {
        // a killed process does not see the error
        if (!isKilled) throw error;
      }
      throw new Killed();
    };
    const target: Target = {
      name: 'sim://store',
      prices: { write: 0, read: 0 },
      keepsHeaders,
      get keepsDeleted() {
        return store.isVersioned;
      },
      get: (path, _, range) =>
        request('get', path, () => {
          const found = store.objects.get(path);
          if (found === undefined) return undefined;
          const { bytes, tag, upload } = found;
          return {
            bytes: range ? bytes.subarray(range.from, range.to) : bytes,
            contentEncoding: upload?.headers.contentEncoding ?? '',
            tag,
          };
        }),
      list: (prefix, after, from) =>
        request('list', prefix, () => {
          const paths = [...store.objects.keys()].filter((path) => path.startsWith(prefix) && path > (from ?? after)).toSorted();
          const page = paths.slice(0, LIST_LENGTH);
          const objects = page.map((path) => ({
            path,
            size: store.objects.get(path)?.bytes.length ?? 0,
            tag: store.objects.get(path)?.tag ?? '',
          }));
          return { objects, next: paths.length > page.length ? page.at(-1) : undefined };
        }),
      head: (path) =>
        request('head', path, () => {
          const found = store.objects.get(path);
          return found && { digest: undefined, headers: undefined, ...found.upload };
        }),
      put: (path, upload, _, condition) => request('put', path, () => store.#write(path, upload, condition)),
      beginParts: (path, upload) => request('begin', path, () => store.#begin(path, upload, request)),
      openUploads: () => request('uploads', '', () => [...store.uploads].map(([id, { path }]) => ({ id, path }))),
      abortUpload: ({ id, path }) => request('abort', path, () => void store.uploads.delete(id)),
      remove: (path) => request('remove', path, () => void store.objects.delete(path)),
      renew: () => {},
      close: () => {},
    };
    return target;
  }

  /** Checks and writes at once, as a store must; or first one, then the other. */
  async #write(path: string, { bytes, ...upload }: Upload, condition: Condition | undefined): Promise<string> {
    if (condition !== undefined && this.conditions !== 'ignored') {
      if (this.conditions === 'unsupported') throw new StorageError('unsupported', '501');
      const isMet = condition === 'absent' ? !this.objects.has(path) : this.objects.get(path)?.tag === condition.tag;
      if (!isMet) throw new StorageError('conflict', '412');
      if (this.conditions === 'checked first') await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return this.put(path, bytes, upload);
  }

  #begin(path: string, _: Omit<Upload, 'bytes'>, request: <T>(action: string, path: string, work: () => T) => Promise<T>): PartsUpload {
    this.#serial += 1;
    const id = String(this.#serial);
    const parts = new Map<number, Buffer>();
    this.uploads.set(id, { path, parts });
    const open = () => {
      if (!this.uploads.has(id)) throw new StorageError('missing', '404 NoSuchUpload');
    };
    return {
      put: ({ number }, bytes) =>
        request('part', path, () => {
          open();
          parts.set(number, Buffer.from(bytes));
          return String(number);
        }),
      complete: () =>
        request('complete', path, () => {
          // the response to an earlier attempt was lost
          if (!this.uploads.has(id) && this.objects.has(path)) return;
          open();
          this.uploads.delete(id);
          this.put(path, Buffer.concat([...parts].toSorted(([one], [other]) => one - other).map(([, bytes]) => bytes)));
        }),
      abort: () => request('abort', path, () => void this.uploads.delete(id)),
    };
  }
}
