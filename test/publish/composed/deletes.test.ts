import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClaimedState, type ComposedState } from '../../../src/publish/composed/composed-state.ts';
import { deleteListed } from '../../../src/publish/composed/deletes.ts';
import { openRemote } from '../../../src/storage/remote.ts';
import { StorageError } from '../../../src/storage/storage-error.ts';
import type { Target } from '../../../src/storage/target.ts';

const LIST = Array.from({ length: 40 }, (_, index) => index.toString(16).padStart(64, '0'));

/** A target in memory that has one object, and its requests: the lengths of the lists that were written, and deletes. */
class Place {
  readonly requests: (number | 'delete')[] = [];
  readonly #remove: () => void;
  #bytes: Buffer | undefined;
  #tag = 0;

  /** @param remove is called for each delete */
  constructor(remove: () => void) {
    this.#remove = remove;
  }

  open(): Target {
    return {
      name: 'place',
      prices: { write: 0, read: 0 },
      keepsHeaders: false,
      get: async () => this.#bytes && { bytes: this.#bytes, contentEncoding: '', tag: String(this.#tag) },
      head: async () => undefined,
      put: async (_path, { bytes }, _signal, condition) => {
        const isMet = condition === 'absent' ? this.#bytes === undefined : condition?.tag === String(this.#tag);
        if (!isMet) throw new StorageError('conflict', 'another version');
        this.#bytes = Buffer.from(bytes);
        this.#tag += 1;
        this.requests.push(this.state.deletes.length);
        return String(this.#tag);
      },
      remove: async () => {
        this.#remove();
        this.requests.push('delete');
      },
      renew: () => {},
      close: () => {},
    };
  }

  get state(): ComposedState {
    return JSON.parse(this.#bytes?.toString() ?? '');
  }
}

async function deleteAll(place: Place): Promise<void> {
  const signal = new AbortController().signal;
  const remote = openRemote(place.open(), { concurrency: 1, retryPolicy: { attempts: 1, timeout: 1e9 }, signal });
  const list: ComposedState = { deletes: LIST, since: Date.now(), states: [] };
  const claimed = await ClaimedState.claim(remote, undefined, list, { isSinglePublisher: false });
  await deleteListed(remote, claimed, list, { concurrency: 1, onDeleted: () => {} });
}

describe('the deletes of a publish', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'], now: Date.parse('2026-11-22T03:00:00Z') }));
  afterEach(() => void vi.useRealTimers());

  it('write the rest of the list every minute, with the present time', async () => {
    const place = new Place(() => void vi.advanceTimersByTime(4_500));
    await deleteAll(place);
    expect(place.requests.filter((one) => one !== 'delete')).toEqual([40, 26, 12, 0]);
    expect(place.requests.filter((one) => one === 'delete').length).toBe(40);
    expect(place.state).toMatchObject({ deletes: [], since: Date.now() });
  });

  it('leave the rest of the list after an error, and tell other runs not to wait', async () => {
    let requests = 0;
    const place = new Place(() => {
      requests += 1;
      if (requests > 30) throw new StorageError('denied', 'no permission');
    });
    await expect(deleteAll(place)).rejects.toMatchObject({ code: 'target-denied' });
    expect(place.state).toMatchObject({ deletes: LIST.slice(30), since: 0 });
  });

  it('end if another run wrote the list meanwhile', async () => {
    const place = new Place(() => void vi.advanceTimersByTime(61_000));
    const target = place.open();
    let removed = 0;
    place.open = () => ({
      ...target,
      remove: async (path, signal) => {
        await target.remove(path, signal);
        removed += 1;
        const other = {
          bytes: Buffer.from('{"deletes":[]}'),
          headers: { contentType: '', cacheControl: '', contentEncoding: '' },
          digest: '',
        };
        await target.put('publish.json', other, signal, { tag: '1' });
      },
    });
    await expect(deleteAll(place)).rejects.toMatchObject({ code: 'target-busy' });
    expect(removed).toBe(1);
  });
});
