import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs work on a store. A dry run must not create the store, so it uses a temporary one if there is none. */
export async function onStore<T>(path: string, isDryRun: boolean, work: (path: string) => Promise<T>): Promise<T> {
  if (!isDryRun || existsSync(path)) return await work(path);
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-'));
  try {
    return await work(join(folder, 'store.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
