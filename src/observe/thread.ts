import { parentPort, workerData } from 'node:worker_threads';
import type { RawValue } from '../sources/raw-value.ts';
import { type Observed, SnapshotReader } from '../sources/snapshot-reader.ts';
import type { InputError } from '../sources/source.ts';
import { StoredVersions } from '../store/stored-versions.ts';
import { type FoldedRows, PartitionFold } from './partition-fold.ts';
import { ProfilePool } from './profile-pool.ts';
import { StringPool } from './string-pool.ts';
import {
  type AccountNames,
  READ_COLUMNS,
  type ReadAnswer,
  type ReadRequest,
  type ThreadJob,
  type ThreadRequest,
} from './thread-messages.ts';

const job: ThreadJob = workerData;
// the main thread opened the file, and closes it
const texts = new StringPool({ descriptor: job.pool.descriptor, close: () => {} }, job.pool.number);
const profiles = new ProfilePool(texts);
const reader = new SnapshotReader(job.context);
let partition: PartitionFold | undefined;

async function answer(request: ThreadRequest): Promise<ReadAnswer | FoldedRows | undefined> {
  switch (request.kind) {
    case 'read':
      return await read(request);
    case 'fold': {
      partition ??= new PartitionFold(
        request.descriptors,
        job.network,
        job.store === undefined ? undefined : StoredVersions.open(job.store),
      );
      return partition.fold(request.rows);
    }
    case 'flush':
      texts.flush();
      return undefined;
  }
}

async function read({ texts, lines, paths, withNames }: ReadRequest): Promise<ReadAnswer> {
  const values = texts.map((text, index) => ({ text, line: lines[index] ?? 0, path: paths[index] ?? '' }));
  const all = await reader.read(values, '');
  const isClean = all.every(isObserved);
  const found = isClean ? all.filter(isObserved) : [];
  const counts = isClean ? undefined : await countsOf(values, found);
  const rows = new Float64Array(found.length * READ_COLUMNS);
  for (const [index, { observation, place }] of found.entries()) {
    const { profile, archive, account } = profiles.put(observation);
    rows.set([observation.observed_at, profile, archive, account, place.line ?? 0], index * READ_COLUMNS);
  }
  return { counts, rows, names: withNames ? found.map(namesOf) : undefined };
}

/** Reads values one by one, to find those with errors. Adds the observations of the others to a list. */
async function countsOf(values: readonly RawValue[], found: Observed[]): Promise<number[]> {
  const counts: number[] = [];
  for (const value of values) {
    const items = await reader.read([value], '');
    const observed = items.filter(isObserved);
    const isClean = observed.length === items.length;
    counts.push(isClean ? observed.length : -1);
    if (isClean) found.push(...observed);
  }
  return counts;
}

function isObserved(item: Observed | InputError): item is Observed {
  return item.kind === 'observation';
}

function namesOf({ observation: { profile, former_names } }: Observed): AccountNames {
  return { id: profile.id, screen_name: profile.screen_name, former_names };
}

parentPort?.on('message', ({ number, request }: { readonly number: number; readonly request: ThreadRequest }) => {
  // an error is not caught: it ends the thread, and the main thread gets it
  void answer(request).then((result) => parentPort?.postMessage({ number, result }));
});
