import { join } from 'node:path';
import { type MirrorOptions, type MirrorResult, mirror } from '../../src/mirror/mirror.ts';
import { Connection } from '../../src/store/database/connection.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';

/** Mirrors without delay, and fails where something is set aside. */
export function mirrored(store: string, baseUrl: string, options: Partial<MirrorOptions> = {}): Promise<MirrorResult> {
  return mirror({
    store,
    baseUrl,
    userAgent: 'palimpsest-test',
    delay: 0,
    concurrency: 1,
    isFull: false,
    onConflict: 'replace',
    onReject: (inputError) => {
      throw new Error(`${inputError.expected}, found ${inputError.found}`);
    },
    maxDelete: undefined,
    signal: new AbortController().signal,
    firstPause: 0.01,
    maxTime: 5000,
    ...options,
  });
}

/** The fingerprint of a new mirror of a service. */
export async function mirroredAnew(baseUrl: string): Promise<string> {
  const store = join(temporaryFolder(), 'whole.db');
  await mirrored(store, baseUrl);
  return fingerprint(store);
}

export function fingerprint(path: string): string {
  const store = Store.open(path);
  try {
    return store.revision.fingerprint;
  } finally {
    store.close();
  }
}

/** Ids of all records in a store, newest first. */
export function idsIn(path: string): number[] {
  const connection = new Connection(path);
  try {
    return connection.prepare<[], number>('SELECT id FROM record ORDER BY id DESC').pluck().all();
  } finally {
    connection.close();
  }
}
