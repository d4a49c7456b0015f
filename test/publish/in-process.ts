import { DEFAULT_CACHE_CONTROL } from '../../src/contract/site.ts';
import { type PublishOptions, type PublishSummary, publish } from '../../src/publish/publish.ts';
import { STATE } from '../../src/publish/state/state.ts';
import type { Target } from '../../src/storage/target.ts';
import type { SimulatedStore } from '../versions/simulated-store.ts';
import type { Files } from '../whole/trees.ts';

/** Publishes a tree in this process. No limit of deletes stops it, and the first failed request ends it. */
export function publishHere(target: Target, out: string, more: Partial<PublishOptions> = {}): Promise<PublishSummary> {
  return publish(target, {
    out,
    concurrency: 32,
    maxDelete: { share: 1 },
    allowGaps: false,
    allowLoopback: false,
    allowOtherBaseUrl: false,
    replace: false,
    allowOtherFiles: true,
    repair: false,
    singlePublisher: false,
    exclusions: () => [],
    stateOf: () => 'current',
    cacheControl: DEFAULT_CACHE_CONTROL,
    gzip: false,
    dryRun: false,
    retryPolicy: { attempts: 1, timeout: 10_000 },
    signal: new AbortController().signal,
    ...more,
  });
}

/** The objects of a store, except for the state. */
export function filesAt({ objects }: SimulatedStore): Files {
  return new Map([...objects].filter(([path]) => path !== STATE).map(([path, { bytes }]) => [path, bytes]));
}

/** Returns a target with some methods replaced. It has no lock, checks and names of a folder. */
export function changed(target: Target, methods: Partial<Target>): Target {
  const { name, prices, keepsHeaders, keepsDeleted } = target;
  return {
    name,
    prices,
    keepsHeaders,
    keepsDeleted,
    get: (...args) => target.get(...args),
    list: (...args) => target.list(...args),
    head: (...args) => target.head(...args),
    put: (...args) => target.put(...args),
    beginParts: (...args) => target.beginParts(...args),
    remove: (...args) => target.remove(...args),
    renew: () => target.renew(),
    close: () => target.close(),
    ...methods,
  };
}
