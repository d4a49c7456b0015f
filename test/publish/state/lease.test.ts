import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/contract/failure.ts';
import { isObject } from '../../../src/contract/json.ts';
import { publish } from '../../../src/publish/publish.ts';
import { STATE } from '../../../src/publish/state/state.ts';
import { openTarget } from '../../../src/storage/address.ts';
import { StorageError } from '../../../src/storage/storage-error.ts';
import type { Condition, Target, Upload } from '../../../src/storage/target.ts';
import { palimpsest } from '../../support/palimpsest.ts';
import { folderOfFile } from '../../whole/stores.ts';
import { differences, pagesIn } from '../../whole/trees.ts';
import { Growing, publishJson } from '../growing.ts';
import { SETTINGS } from '../settings.ts';

const folder = folderOfFile();

/** A target with the claim of a run on another machine. */
async function targetWithClaim(
  name: string,
): Promise<{ readonly history: Growing; readonly site: string; readonly beat: (beat: number) => void }> {
  const history = await Growing.of(folder, name, { records: 100, accounts: 10 });
  const site = join(folder, `${name}-site`);
  await publishJson(['publish', site, '--out', history.out]);
  await history.grow(1);
  const path = join(site, 'publish.json');
  const state: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const beat = (beat: number) =>
    writeFileSync(
      path,
      `${JSON.stringify({ ...(isObject(state) ? state : {}), state: 'publishing', holder: { machine: 'another', process: 1, token: 'x', beat } })}\n`,
    );
  beat(1);
  return { history, site, beat };
}

describe.concurrent('a run that finds the claim of another machine', () => {
  it('fails if the other run is alive', async () => {
    const { history, site, beat } = await targetWithClaim('living');
    let isOver = false;
    const beating = (async () => {
      for (let number = 2; !isOver; number += 1) {
        beat(number);
        await setTimeout(200);
      }
    })();
    const { code, stdout } = await palimpsest(['publish', site, '--out', history.out, '--json']);
    isOver = true;
    await beating;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'target-busy' } });
  });

  it('takes over if the other run writes no heartbeat for a while', async () => {
    const { history, site } = await targetWithClaim('dead');
    expect(await publishJson(['publish', site, '--out', history.out])).toMatchObject({ resumed: true, done: { deletes: 0 } });
    expect(JSON.parse(readFileSync(join(site, 'publish.json'), 'utf8'))).toMatchObject({ state: 'published', holder: null });
  });
});

/** A target behind a network that can be cut. It counts its writes. */
function networked(target: Target): {
  readonly target: Target;
  readonly cut: (how: 'resets' | 'silence' | undefined) => void;
  puts: number;
} {
  let fault: 'resets' | 'silence' | undefined;
  const over = async <T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    if (fault === 'resets') throw new StorageError('transient', 'ECONNRESET');
    if (fault === undefined) return request();
    if (!signal.aborted) await once(signal, 'abort');
    throw new StorageError('transient', 'no answer');
  };
  const network = {
    puts: 0,
    cut: (how: typeof fault) => {
      fault = how;
    },
    target: {
      name: target.name,
      prices: target.prices,
      keepsHeaders: target.keepsHeaders,
      get: (path: string, signal: AbortSignal) => over(() => target.get(path, signal), signal),
      list: (prefix: string, after: string, next: string | undefined, signal: AbortSignal) =>
        over(() => target.list(prefix, after, next, signal), signal),
      head: (path: string, signal: AbortSignal) => over(() => target.head(path, signal), signal),
      put: (path: string, upload: Upload, signal: AbortSignal, condition?: Condition) =>
        over(() => {
          network.puts += 1;
          return target.put(path, upload, signal, condition);
        }, signal),
      remove: (path: string, signal: AbortSignal) => over(() => target.remove(path, signal), signal),
      renew: () => target.renew(),
      close: () => target.close(),
    },
  };
  return network;
}

const openSite = (site: string) => openTarget(site, '', { connections: 4, secrets: {} });
const settings = { ...SETTINGS, concurrency: 4, retryPolicy: { attempts: 12, timeout: 30_000 } };

describe.concurrent('a run that is cut off from its target', () => {
  /** Publishes a tree, lets it grow, starts a second publish, and cuts the network while that publish sends its pages. */
  async function cutOff(name: string, how: 'resets' | 'silence', retryPolicy = settings.retryPolicy) {
    const history = await Growing.of(folder, name, { records: 400, accounts: 20 });
    const site = join(folder, `${name}-site`);
    await publishJson(['publish', site, '--out', history.out]);
    await history.grow(25);
    const network = networked(await openSite(site));
    const stop = new AbortController();
    const run = publish(network.target, { ...settings, retryPolicy, out: history.out, signal: stop.signal });
    const outcome = run.then(
      () => 'published',
      (error: unknown) => (error instanceof Failure ? error.code : String(error)),
    );
    while (network.puts < 20) await setTimeout(1);
    network.cut(how);
    return { history, site, network, stop, outcome };
  }

  it('does not overwrite the pages that another run has published meanwhile', async () => {
    const { history, site, network, outcome } = await cutOff('overtaken', 'silence');
    const newer = await Growing.of(folder, 'overtaking', { records: 440, accounts: 20 });
    // both runs are in one process: only missing heartbeats show that the first is gone
    const other = await publish(await openSite(site), { ...settings, out: newer.out, signal: new AbortController().signal });
    expect(other).toMatchObject({ wasInterrupted: true });
    network.cut(undefined);
    expect(await outcome).toBe('target-busy');
    expect(history.records).toBeLessThan(newer.records);
    const files = new Map(pagesIn(site));
    files.delete(STATE);
    expect(differences(files, newer.files())).toEqual([]);
  });

  it.each(['resets', 'silence'] as const)('ends if the network does not come back, with %s', async (how) => {
    const { outcome } = await cutOff(`lost ${how}`, how, { attempts: 3, timeout: 6_000 });
    expect(await Promise.race([outcome, setTimeout(50_000, 'still at it')])).toBe('target-failed');
  });

  it.each(['resets', 'silence'] as const)('ends soon after it is told to stop, with %s', async (how) => {
    const { outcome, stop } = await cutOff(`stopped ${how}`, how, { attempts: 12, timeout: 8_000 });
    await setTimeout(1_000);
    stop.abort();
    expect(await Promise.race([outcome, setTimeout(30_000, 'still at it')])).toBe('stopped');
  });
});

it('writes nothing if it is told to stop before it begins', async () => {
  const history = await Growing.of(folder, 'early', { records: 100, accounts: 10 });
  const site = join(folder, 'early-site');
  await publishJson(['publish', site, '--out', history.out]);
  const before = readFileSync(join(site, STATE), 'utf8');
  await history.grow(1);
  const run = publish(await openSite(site), { ...settings, out: history.out, signal: AbortSignal.abort() });
  await expect(run).rejects.toMatchObject({ code: 'stopped' });
  expect(readFileSync(join(site, STATE), 'utf8')).toBe(before);
});

it('rejects a publish.json of another program', async () => {
  const { history, site } = await targetWithClaim('foreign');
  writeFileSync(join(site, 'publish.json'), '{"hello":1}');
  const { code, stdout } = await palimpsest(['publish', site, '--out', history.out, '--json']);
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'not-ours', file: 'publish.json' } });
});
