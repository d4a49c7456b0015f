import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PublishOptions } from '../../../src/publish/publish.ts';
import { Lease } from '../../../src/publish/state/lease.ts';
import { encodeState, type Holder, parseState, STATE } from '../../../src/publish/state/state.ts';
import { openRemote } from '../../../src/storage/remote.ts';
import { StorageError } from '../../../src/storage/storage-error.ts';
import type { Target } from '../../../src/storage/target.ts';
import { inVirtualTime } from '../../support/virtual-time.ts';
import { SimulatedStore } from '../../versions/simulated-store.ts';
import { folderOfFile } from '../../whole/stores.ts';
import { differences } from '../../whole/trees.ts';
import { Growing } from '../growing.ts';
import { filesAt, publishHere } from '../in-process.ts';

const folder = folderOfFile();
const { signal } = new AbortController();

/** Trees of three nights. */
let trees: Growing[];
let store: SimulatedStore;
beforeAll(async () => {
  const sizes = [100, 125, 140];
  trees = await Promise.all(sizes.map((records) => Growing.of(folder, `${records}`, { records, accounts: 20 })));
});

function publishNight(night: number, client = store.client(), more: Partial<PublishOptions> = {}) {
  return publishHere(client, trees[night]?.out ?? '', { concurrency: 4, retryPolicy: { attempts: 12, timeout: 30_000 }, ...more });
}

/** A store with the tree of the first night. */
async function publishFirst(): Promise<void> {
  store = new SimulatedStore();
  await publishNight(0);
}

const stateAt = () => parseState(Buffer.from(store.text(STATE) ?? ''));

/** Writes the claim of a run on another machine. */
function claim(beat: number): void {
  const holder: Holder = { machine: 'another', process: 1, token: 'x', beat };
  store.put(STATE, encodeState({ ...stateAt(), state: 'publishing', holder }));
}

describe('a run that finds the claim of another machine', () => {
  it('fails if the other run is alive', async () => {
    await publishFirst();
    let beat = 0;
    const client = store.client(async (action, path) => {
      if (action === 'get' && path === STATE) {
        beat += 1;
        claim(beat);
      }
      return 'done';
    });
    await inVirtualTime(() => expect(publishNight(1, client)).rejects.toMatchObject({ code: 'target-busy' }));
  });

  it('takes over if the other run writes no heartbeat for 20 seconds', async () => {
    await publishFirst();
    claim(1);
    const waited = await inVirtualTime(async () => {
      const began = performance.now();
      expect(await publishNight(1)).toMatchObject({ wasInterrupted: true, done: { deletes: 0 } });
      return performance.now() - began;
    });
    expect(waited).toBeGreaterThanOrEqual(20_000);
    expect(stateAt()).toMatchObject({ state: 'published', holder: null });
  });
});

describe('a run that is cut off from its target', () => {
  type Cut = 'resets' | 'silence' | 'denials of heartbeats';

  /** Starts a publish and cuts its network while it sends its pages. Returns it when it is cut off. */
  async function cutOff(how: Cut, attempts: number, timeout: number) {
    await publishFirst();
    let fault: Cut | undefined;
    let puts = 0;
    const stop = new AbortController();
    let cut = () => {};
    const isCut = new Promise<void>((resolve) => {
      cut = resolve;
    });
    const client = store.client(async (action, path) => {
      if (action === 'put') puts += 1;
      if (puts === 20) {
        fault = how;
        cut();
        puts += 1;
      }
      if (fault === 'silence') await new Promise(() => {});
      // pages take long, so that there are heartbeats
      if (fault === 'denials of heartbeats' && path !== STATE) await setTimeout(2_000);
      if (fault === 'denials of heartbeats' && path === STATE) throw new StorageError('denied', 'no right to write');
      return fault === 'resets' ? 'no answer' : 'done';
    });
    const run = publishNight(1, client, { retryPolicy: { attempts, timeout }, signal: stop.signal });
    run.catch(() => {});
    await isCut;
    return {
      run,
      stop,
      repair: () => {
        fault = undefined;
      },
    };
  }

  it('does not overwrite the pages that another run has published meanwhile', async () => {
    await inVirtualTime(async () => {
      const { run, repair } = await cutOff('silence', 12, 30_000);
      // both runs are in one process: only missing heartbeats show that the first is gone
      expect(await publishNight(2)).toMatchObject({ wasInterrupted: true });
      repair();
      await expect(run).rejects.toMatchObject({ code: 'target-busy' });
    });
    expect(differences(filesAt(store), trees[2]?.files() ?? new Map())).toEqual([]);
  });

  it.each<[Cut, string]>([
    ['resets', 'target-failed'],
    ['silence', 'target-failed'],
    ['denials of heartbeats', 'target-denied'],
  ])('ends if the network does not come back, with %s', (how, code) =>
    inVirtualTime(async () => {
      const { run } = await cutOff(how, 3, 6_000);
      await expect(run).rejects.toMatchObject({ code });
    }),
  );

  it.each<[Cut]>([['resets'], ['silence']])('ends soon after it is told to stop, with %s', (how) =>
    inVirtualTime(async () => {
      const { run, stop } = await cutOff(how, 12, 8_000);
      await setTimeout(1_000);
      stop.abort();
      const began = performance.now();
      await expect(run).rejects.toMatchObject({ code: 'stopped' });
      expect(performance.now() - began).toBeLessThan(30_000);
    }),
  );
});

it('rejects a publish.json of another program', async () => {
  store = new SimulatedStore();
  store.put(STATE, Buffer.from('{"hello":1}'));
  await expect(publishNight(0)).rejects.toMatchObject({ code: 'not-ours', place: { file: STATE } });
});

/** The outcome of one write of the state. For "answer lost" the write is done but the response is lost. */
type Fate = 'done' | 'answer lost' | 'done later' | 'never done';

describe('a lease whose writes of the state get no response', () => {
  /** A lease at a store in which the writes of the state have these outcomes in order. All further writes are done. */
  function leaseWith(fates: readonly Fate[]): { readonly lease: Lease; readonly late: Promise<unknown>[] } {
    store = new SimulatedStore();
    const target = store.client();
    const late: Promise<unknown>[] = [];
    const left = [...fates];
    const put: Target['put'] = async (...args) => {
      const fate = left.shift() ?? 'done';
      if (fate === 'done') return target.put(...args);
      if (fate === 'answer lost') await target.put(...args);
      // during the next heartbeat, or after it
      if (fate === 'done later') late.push(setTimeout(4_500).then(() => target.put(...args).catch(() => {})));
      throw new StorageError('transient', 'the answer was lost');
    };
    // one attempt for each request, so that the outcomes are those of the heartbeats
    const remote = openRemote({ ...target, put }, { concurrency: 1, retryPolicy: { attempts: 1, timeout: 10_000 }, signal });
    return {
      lease: new Lease(remote, { trees: [], manifest: 'm', headers: 'h', base_url: 'https://example.org', exclusions: 0 }, undefined, true),
      late,
    };
  }

  // the first write is the claim, then follows a heartbeat every four seconds, and the last is the release
  it.each<readonly Fate[]>([
    ['done', 'answer lost', 'done'],
    ['done', 'answer lost', 'answer lost'],
    ['done', 'done', 'answer lost'],
    ['done', 'never done', 'answer lost'],
    ['done', 'answer lost', 'never done'],
    ['done', 'done later', 'done'],
    ['done', 'done later', 'done later'],
    ['done', 'done later', 'answer lost'],
    ['done', 'answer lost', 'done later'],
  ])('stays valid after these writes: %s, %s, %s', (...fates) =>
    inVirtualTime(async () => {
      const { lease, late } = leaseWith(fates);
      await lease.take();
      for (const end = performance.now() + 9_000; performance.now() < end; await setTimeout(100)) await lease.hold();
      await lease.complete('0'.repeat(64));
      await Promise.all(late);
      expect(stateAt()).toMatchObject({ state: 'published', holder: null });
    }),
  );

  it('is lost if the state contains the claim of another run', async () => {
    const { lease } = leaseWith([]);
    await lease.take();
    store.put(STATE, Buffer.from(store.text(STATE)?.replace(/"token":"[^"]*"/, '"token":"another"') ?? ''));
    await expect(lease.complete('0'.repeat(64))).rejects.toMatchObject({ code: 'target-busy' });
  });
});
