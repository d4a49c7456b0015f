import { DEFAULT_CACHE_CONTROL } from '../../src/publish/objects/headers.ts';

/** The options of a publish that no guard stops, and that is cut off after the first failed request. */
export const SETTINGS = {
  concurrency: 32,
  maxDelete: { most: 0 },
  allowGaps: false,
  allowLoopback: false,
  allowOtherFiles: true,
  repair: false,
  isSinglePublisher: false,
  cacheControl: DEFAULT_CACHE_CONTROL,
  gzip: false,
  dryRun: false,
  retryPolicy: { attempts: 1, timeout: 10_000 },
};
