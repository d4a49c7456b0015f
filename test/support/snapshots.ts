import type { ObserveSummary } from '../../src/observe/merge-snapshots.ts';
import { type ObserveOptions, observeInputs } from '../../src/observe/observe.ts';
import type { Input } from '../../src/sources/source.ts';
import { Connection } from '../../src/store/database/connection.ts';
import { Store } from '../../src/store/store.ts';

/** A snapshot in the neutral format, valid or invalid. */
export type Snapshot = { readonly [field: string]: unknown };

/** Returns a source with one value on each line. A string is written as a line unchanged. */
export function sourceOf(values: readonly (Snapshot | string)[], name = 'snapshots'): Input {
  async function* open(): AsyncGenerator<Uint8Array> {
    const lines = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
    // an empty file would be rejected
    yield Buffer.from(lines.length === 0 ? '[]' : lines.join('\n'));
  }
  return { name, size: undefined, open };
}

/** Observes snapshots in one run. */
export function observe(
  store: string,
  snapshots: readonly (Snapshot | string)[],
  options: Partial<ObserveOptions> = {},
): Promise<ObserveSummary> {
  return observeInputs(store, [sourceOf(snapshots)], {
    snapshots: { from: undefined, observedAt: undefined, unescape: false },
    ...options,
  });
}

/** An account on a page, with the fields that tests read. */
export interface ShownAccount {
  readonly screen_name: string;
  readonly data: readonly ShownRecord[];
  readonly [field: string]: unknown;
}

export interface ShownRecord {
  readonly id: number;
  readonly account: string;
  readonly data_type: string;
  readonly previous: number | null;
  readonly text: string | null;
  readonly [field: string]: unknown;
}

export interface Contents {
  /** The feed, newest record first. */
  readonly feed: readonly ShownRecord[];
  readonly accounts: readonly ShownAccount[];
  readonly fingerprint: string;
  /** Facts about accounts that no page of the API has: screen name, stable id, the instants of the latest observation and of the last sight. */
  readonly known: readonly unknown[];
}

const ALL = 1_000_000;

/** Returns the published data of a store, and its unpublished facts about accounts. */
export function contentsOf(path: string): Contents {
  const store = Store.open(path);
  try {
    const feed = JSON.parse(`[${store.feed().take(ALL).json.toString()}]`);
    const accounts = JSON.parse(`[${Buffer.concat([...store.accounts().take(ALL).read(100)]).toString()}]`);
    return { feed, accounts, fingerprint: store.revision.fingerprint, known: knownIn(path) };
  } finally {
    store.close();
  }
}

/**
 * The contents without the fingerprint, which includes former handles. If a handle moved between accounts, it depends on the
 * order of the runs which of them had the handle for a time.
 */
export function withoutFormerHandles({ feed, accounts, known }: Contents): Omit<Contents, 'fingerprint'> {
  return { feed, accounts, known };
}

function knownIn(path: string): readonly unknown[] {
  const database = new Connection(path);
  try {
    return database.prepare('SELECT screen_name, stable_id, observed_to, last_seen FROM account ORDER BY screen_name').all();
  } finally {
    database.close();
  }
}
