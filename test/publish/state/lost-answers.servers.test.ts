import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Lease } from '../../../src/publish/state/lease.ts';
import { parseState, STATE } from '../../../src/publish/state/state.ts';
import { openTarget } from '../../../src/storage/address.ts';
import { openRemote } from '../../../src/storage/remote.ts';
import { StorageError } from '../../../src/storage/storage-error.ts';
import type { Target } from '../../../src/storage/target.ts';
import { folderOfFile } from '../../whole/stores.ts';
import { Growing, publishArgs, publishJson } from '../growing.ts';
import { startProxy } from '../proxy.ts';
import { CEPH, startCeph } from '../stores.ts';

const folder = folderOfFile();
const { signal } = new AbortController();
/** One attempt for each request, so that the outcomes are those of the heartbeats. */
const REQUESTS = { concurrency: 1, retryPolicy: { attempts: 1, timeout: 10_000 }, signal };
const claim = { trees: [], manifest: 'm', headers: 'h' };

/** The outcome of one write of the state. For "answer lost" the write is done but the response is lost. */
type Fate = 'done' | 'answer lost' | 'done later' | 'never done';

/** A folder in which the writes of the state have these outcomes in order. All further writes are done. */
async function targetWithFates(
  name: string,
  fates: readonly Fate[],
): Promise<{ readonly target: Target; readonly late: Promise<unknown>[] }> {
  const target = await openTarget(join(folder, name), '', { connections: 1, secrets: {} });
  const late: Promise<unknown>[] = [];
  let writes = 0;
  return {
    late,
    target: {
      name: target.name,
      prices: target.prices,
      keepsHeaders: target.keepsHeaders,
      get: (...args) => target.get(...args),
      list: (...args) => target.list(...args),
      head: (...args) => target.head(...args),
      put: async (...args) => {
        const fate = fates[writes] ?? 'done';
        writes += 1;
        if (fate === 'done later') {
          // during the next heartbeat, or after it
          late.push(setTimeout(4_500).then(() => target.put(...args).catch(() => {})));
        } else if (fate !== 'never done') {
          const tag = await target.put(...args);
          if (fate === 'done') return tag;
        }
        throw new StorageError('transient', 'the answer was lost');
      },
      remove: (...args) => target.remove(...args),
      renew: () => {},
      close: () => {},
    },
  };
}

const stateAt = async (name: string) => {
  const target = await openTarget(join(folder, name), '', { connections: 1, secrets: {} });
  return parseState((await target.get(STATE, signal))?.bytes ?? Buffer.of());
};

describe.concurrent('a lease whose writes of the state get no response', () => {
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
  ])(
    'stays valid after these writes: %s, %s, %s',
    async (...fates) => {
      const name = fates.join(', ');
      const { target, late } = await targetWithFates(name, fates);
      const lease = new Lease(openRemote(target, REQUESTS), claim, undefined, true);
      await lease.take();
      const end = performance.now() + 9_000;
      while (performance.now() < end) {
        await lease.hold();
        await setTimeout(100);
      }
      await lease.complete('0'.repeat(64));
      await Promise.all(late);
      expect(await stateAt(name)).toMatchObject({ state: 'published', holder: null });
    },
    30_000,
  );

  it('is lost if the state contains the claim of another run', async () => {
    const { target } = await targetWithFates('taken', []);
    const lease = new Lease(openRemote(target, REQUESTS), claim, undefined, true);
    await lease.take();
    const { bytes, tag } = (await target.get(STATE, signal)) ?? { bytes: Buffer.of(), tag: '' };
    const headers = { contentType: '', cacheControl: '', contentEncoding: '' };
    const other = Buffer.from(bytes.toString().replace(/"token":"[^"]*"/, '"token":"another"'));
    const store = await openTarget(join(folder, 'taken'), '', { connections: 1, secrets: {} });
    await store.put(STATE, { bytes: other, headers, digest: '' }, signal, { tag });
    await expect(lease.complete('0'.repeat(64))).rejects.toMatchObject({ code: 'target-busy' });
  });
});

it.skipIf(CEPH.requirement.skip)(
  'publishes to a real S3 server although the responses to heartbeats are lost',
  { timeout: 90_000 },
  async () => {
    const store = await startCeph();
    const proxy = await startProxy(store.endpoint);
    try {
      const history = await Growing.of(folder, 'unanswered', { records: 300, accounts: 20 });
      let [states, pages] = [0, 0];
      proxy.draw = ({ method, url = '' }) => {
        if (method !== 'PUT') return undefined;
        if (url.includes('publish.json')) {
          states += 1;
          // the claim gets a response, and the next three writes do not
          return states > 1 && states < 5 ? 'reset after' : undefined;
        }
        // the stalls make the run last for two heartbeats
        pages += 1;
        return pages === 3 || pages === 12 ? 'stall' : undefined;
      };
      const args = publishArgs(history.out, CEPH.address('unanswered'), ['--timeout', '5', '--concurrency', '1']);
      const summary = await publishJson(args, CEPH.env(proxy.endpoint));
      expect(summary).toMatchObject({ done: { uploads: history.files().size - 3 } });
      expect(states).toBeGreaterThan(4);
      expect(await publishJson(args, CEPH.env(store.endpoint))).toMatchObject({ requests: { all: 1 } });
    } finally {
      await proxy.stop();
      await store.stop();
    }
  },
);
