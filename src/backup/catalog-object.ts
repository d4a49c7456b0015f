import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../contract/failure.ts';
import { Violation } from '../contract/shape.ts';
import { STORE_MARKER } from '../contract/target-marker.ts';
import type { Remote } from '../storage/remote.ts';
import { storageErrorKind } from '../storage/storage-failure.ts';
import type { Upload } from '../storage/target.ts';
import { type Catalog, EMPTY, encodeCatalog, parseCatalog } from './catalog.ts';

/** If a store does not support conditional writes: milliseconds between a write and the check for a concurrent write. */
const SETTLING_MS = 2_000;

interface Found {
  readonly catalog: Catalog;
  readonly tag: string;
}

/** The catalog object at a target. It is written only if it is unchanged since it was read. */
export class CatalogObject {
  readonly #remote: Remote;
  /** Whether the target supports conditional writes. If it does not, two pushes may not detect each other. */
  isConditional = true;

  constructor(remote: Remote) {
    this.#remote = remote;
  }

  /** @throws Failure not-ours */
  async read(): Promise<Catalog | undefined> {
    return (await this.#find())?.catalog;
  }

  /**
   * Changes the catalog. Repeats the change if another push wrote the catalog in between.
   * @param change pure; returns `same` if the catalog already contains the change, because the response to a write may be lost
   * @param isDecisive whether a version depends on the write: without conditional writes, a concurrent write is then detected
   * @throws Failure target-busy if `change` returns `overtaken`, because another push ended first
   */
  async update(change: (catalog: Catalog) => Catalog | 'same' | 'overtaken', isDecisive: boolean): Promise<Catalog> {
    for (;;) {
      const found = await this.#find();
      const before = found?.catalog ?? EMPTY;
      const after = change(before);
      if (after === 'overtaken') throw this.#overtaken();
      if (after === 'same') return before;
      if (await this.#write(after, found?.tag)) {
        if (this.isConditional || !isDecisive) return after;
        await wait(SETTLING_MS);
        if (change((await this.read()) ?? EMPTY) !== 'same') throw this.#overtaken();
        return after;
      }
    }
  }

  async #find(): Promise<Found | undefined> {
    const fetched = await this.#remote.get(STORE_MARKER);
    if (fetched === undefined) return undefined;
    try {
      return { catalog: parseCatalog(fetched.bytes), tag: fetched.tag };
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      throw new Failure('not-ours', `${this.#remote.name} has a ${STORE_MARKER} that palimpsest did not write`, {
        place: { file: STORE_MARKER, field: error.field },
        expected: error.expected,
        found: error.found,
        hint: 'name another prefix with --prefix, or update palimpsest; nothing was changed',
      });
    }
  }

  /** Returns whether the condition was met. */
  async #write(catalog: Catalog, tag: string | undefined): Promise<boolean> {
    const upload = privateUpload(encodeCatalog(catalog), 'application/json');
    const condition = tag === undefined ? 'absent' : { tag };
    try {
      await this.#remote.put(STORE_MARKER, upload, this.isConditional ? condition : undefined);
      return true;
    } catch (error) {
      const kind = storageErrorKind(error);
      if (!this.isConditional || (kind !== 'conflict' && kind !== 'unsupported')) throw error;
      if (kind === 'unsupported') this.isConditional = false;
      return false;
    }
  }

  #overtaken(): Failure {
    return new Failure('target-busy', `another push to ${this.#remote.name} ended before this one`, {
      place: { file: STORE_MARKER },
      expected: 'one push at a time',
      found: 'a newer version than the one that this push is based on; that version is unchanged',
      hint: 'pull the newer version, import or observe again, then push again',
    });
  }
}

/** Returns the upload of a private object, which no cache may keep. */
export function privateUpload(bytes: Buffer, contentType: string): Upload {
  const headers = { contentType, cacheControl: 'private, no-store', contentEncoding: '' };
  return { bytes, headers, digest: hash('sha256', bytes) };
}
