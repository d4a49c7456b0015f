import { mkdtempSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Instant } from '../../src/contract/instant.ts';
import type { Profile } from '../../src/contract/observation.ts';
import { TWITTER } from '../../src/diff/diff-html.ts';
import { accountKey } from '../../src/observe/partition.ts';
import { PartitionFold } from '../../src/observe/partition-fold.ts';
import { StringPool } from '../../src/observe/string-pool.ts';
import { Connection } from '../../src/store/connection.ts';
import { StoredVersions } from '../../src/store/stored-versions.ts';
import { profile } from '../store/accounts.ts';
import { temporaryFolder } from '../support/folder.ts';
import { observe } from '../support/snapshots.ts';

const NAMES = ['ann', 'bob', 'cem'];
const BIOS = 20;
const BIO_UNITS = 1000;
const [FIRST, AFTER] = [Date.UTC(2020, 0, 1) * 1000, Date.UTC(2021, 0, 1) * 1000];

/** Counts how often an account was read. */
class CountedVersions extends StoredVersions {
  reads = 0;

  override of(profile: Profile, from: Instant) {
    this.reads += 1;
    return super.of(profile, from);
  }
}

/** Creates a store with many bios for each name. */
async function storeOfBios(): Promise<string> {
  const store = join(temporaryFolder(), 'store.db');
  const snapshots = NAMES.flatMap((screen_name) =>
    Array.from({ length: BIOS }, (_, day) => ({
      observed_at: new Date(Date.UTC(2020, 0, 1 + day)).toISOString(),
      screen_name,
      bio: `${day} `.padEnd(BIO_UNITS, screen_name),
    })),
  );
  await observe(store, snapshots);
  return store;
}

/** Folds one snapshot of each name, and another of the first, at an instant. Returns how often an account was read from the store. */
function readsOf(stored: CountedVersions, instant: Instant, units: number): number {
  const path = join(mkdtempSync(join(temporaryFolder(), 'pool-')), 'pool');
  const descriptor = openSync(path, 'w+');
  const pool = new StringPool({ descriptor, close: () => {} });
  const rows = [...NAMES, ...NAMES.slice(0, 1)].flatMap((screen_name, index) => {
    const profile = { screen_name, bio: `new ${index}` };
    return [instant, pool.append(JSON.stringify({ profile, former_names: [] })), accountKey({ id: undefined, screen_name })];
  });
  pool.flush();
  stored.reads = 0;
  new PartitionFold([descriptor], TWITTER, stored, units).fold(Float64Array.from(rows), 1);
  return stored.reads;
}

describe('PartitionFold', () => {
  it('reads from the store only the values that snapshots from an instant on need', async () => {
    const stored = new StoredVersions(new Connection(await storeOfBios()));
    const ann = profile('ann');
    expect(stored.of(ann, AFTER)?.versions.Bio.length).toBe(1);
    expect(stored.of(ann, FIRST)?.versions.Bio.length).toBe(BIOS);
    stored.close();
  });

  it('counts the values of an account in its memory: it drops accounts with many, and keeps accounts with few', async () => {
    const stored = new CountedVersions(new Connection(await storeOfBios()));
    const units = 2 * BIOS * BIO_UNITS;
    // snapshots before the others need all values
    expect(readsOf(stored, FIRST, units)).toBe(NAMES.length + 1);
    expect(readsOf(stored, AFTER, units)).toBe(NAMES.length);
    stored.close();
  });
});
