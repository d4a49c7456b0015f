import type { Pauses } from '../contract/pauses.ts';
import {
  batchesOf,
  type FileCounts,
  type ObserveContext,
  observationsInFilesToReadAgain,
  type SnapshotItem,
} from '../sources/observations.ts';
import type { RawValue } from '../sources/raw-value.ts';
import { SnapshotReader } from '../sources/snapshot-reader.ts';
import type { Input, InputError } from '../sources/source.ts';
import type { Exclusions } from '../store/exclusions.ts';
import { PartSets } from './part-sets.ts';
import type { RowOfInput } from './profile-pool.ts';
import type { Spool } from './spool.ts';
import { READ_COLUMNS, type ReadAnswer, type ReadRequest, rowAt } from './thread-messages.ts';
import type { Threads } from './threads.ts';
import type { ValueReader } from './value-reader.ts';

/** Where the observations go. */
export type ObservationSink = Pick<Spool, 'add' | 'addRow' | 'beginPart'>;

/** Decides which items that are not valid are excluded. */
export type ExclusionFilter = Pick<Exclusions, 'hasItem'>;

export type Reject = (inputError: InputError) => void;

/** An observation that a thread has stored. */
interface StoredObservation {
  readonly kind: 'stored';
  readonly row: RowOfInput;
}

/** The threads of a run. They start when there is enough text for them. */
export interface ReadingThreads {
  /** How much text of the inputs the main thread reads before threads start, in UTF-16 units. */
  readonly after: number;
  readonly start: () => Threads;
  /** Reads on the main thread, while the others have enough to do. */
  readonly mainReader: Pick<ValueReader, 'read'>;
}

/** How many batches each thread has at once, so that it never waits for the next. */
const BATCHES_AHEAD = 2;
/** How many batches for each thread can wait for an earlier one. So the main thread reads ahead while the threads start. */
const BATCHES_KEPT = 32;

/**
 * Reads all inputs into a spool. Threads parse the values and store their observations. The main thread divides the bytes into
 * values, reads values with errors again, and keeps the order. So the result is the same with any number of threads. While the
 * threads have enough to do, it parses values too.
 * @param threads undefined: everything is read on this thread
 * @returns the numbers of files, and of rejected and of excluded items; the parts of earlier runs among the inputs
 */
export async function readInputs(
  inputs: readonly Input[],
  context: ObserveContext,
  spool: ObservationSink,
  exclusions: ExclusionFilter,
  pauses: Pauses,
  threads: ReadingThreads | undefined,
  reject: Reject,
): Promise<{ readonly files: FileCounts; readonly parts: PartSets; readonly rejected: number; readonly excluded: number }> {
  let [rejected, excluded] = [0, 0];
  const files = { read: 0, skipped: 0 };
  const parts = new PartSets();
  for await (const { items, file } of itemsOf(inputs, context, files, pauses, threads)) {
    if (pauses.areDue) await pauses.take();
    for (const item of items) {
      if (item.kind === 'stored') {
        parts.count(file);
        spool.addRow(item.row, file);
      } else if (item.kind === 'observation') {
        parts.count(item.place.file);
        spool.add(item.observation, item.place);
      } else if (item.kind === 'part') {
        parts.begin(item.header, item.place.file ?? '');
        spool.beginPart(item.header, item.place.file ?? '');
      } else if (exclusions.hasItem(item.item)) {
        excluded += 1;
      } else {
        reject(item);
        rejected += 1;
      }
    }
  }
  return { files, parts, rejected, excluded };
}

interface Items {
  readonly items: Iterable<SnapshotItem | StoredObservation>;
  readonly file: string;
}

/** Yields the contents of the inputs, in their order. A few batches are read ahead, so that no thread waits for another. */
async function* itemsOf(
  inputs: readonly Input[],
  context: ObserveContext,
  files: FileCounts,
  pauses: Pauses,
  threads: ReadingThreads | undefined,
): AsyncGenerator<Items> {
  const reader = new SnapshotReader(context);
  const queue: (() => Promise<Items>)[] = [];
  let running: Threads | undefined;
  let [length, next, unanswered] = [0, 0, 0];
  const ask = (threads: Threads, request: ReadRequest): Promise<ReadAnswer> => {
    unanswered += 1;
    next = (next + 1) % threads.length;
    const answer = threads.ask(next, request);
    const answered = () => {
      unanswered -= 1;
    };
    answer.then(answered, answered);
    return answer;
  };
  for await (const batch of batchesOf(inputs, context, reader, files)) {
    if (!('texts' in batch)) {
      queue.push(async () => ({ items: batch, file: '' }));
    } else {
      const { texts: values, file } = batch;
      for (const { text } of values) length += text.length;
      if (threads !== undefined && length > threads.after) running ??= threads.start();
      if (threads === undefined || running === undefined || !values.every(isPlain)) {
        queue.push(async () => ({ items: await reader.read(values, file), file }));
      } else {
        const request: ReadRequest = { kind: 'read', ...columnsOf(values) };
        const answer = unanswered < BATCHES_AHEAD * running.length ? ask(running, request) : threads.mainReader.read(request);
        // the answer is awaited later: until then, its error must not end the process
        answer.catch(() => {});
        queue.push(async () => ({ items: await inOrder(await pauses.until(answer), values, file, reader), file }));
      }
    }
    for (const kept = running === undefined ? 0 : BATCHES_KEPT * running.length; queue.length > kept; ) {
      const first = queue.shift();
      if (first !== undefined) yield await first();
    }
  }
  for (const rest of queue) yield await rest();
  for await (const items of observationsInFilesToReadAgain(reader)) yield { items, file: '' };
}

/** Whether a value is only a text. A thread cannot read other values. */
function isPlain({ broken, elements }: RawValue): boolean {
  return broken === undefined && elements === undefined;
}

function columnsOf(values: readonly RawValue[]): { texts: string[]; lines: number[]; paths: string[] } {
  return { texts: values.map(({ text }) => text), lines: values.map(({ line }) => line), paths: values.map(({ path }) => path) };
}

/** Returns the observations that a thread stored. Values with errors are read here, and their items are inserted at their places. */
async function inOrder(
  { counts, rows }: ReadAnswer,
  values: readonly RawValue[],
  file: string,
  reader: SnapshotReader,
): Promise<Iterable<SnapshotItem | StoredObservation>> {
  const stored = storedIn(rows);
  if (counts === undefined) return stored;
  const items: (SnapshotItem | StoredObservation)[] = [];
  for (const [index, value] of values.entries()) {
    const count = counts[index] ?? -1;
    if (count === -1) items.push(...(await reader.read([value], file)));
    for (let taken = 0; taken < count; taken += 1) {
      const next = stored.next();
      if (!next.done) items.push(next.value);
    }
  }
  return items;
}

function* storedIn(rows: Float64Array): Generator<StoredObservation> {
  for (let index = 0; index < rows.length / READ_COLUMNS; index += 1) {
    yield { kind: 'stored', row: rowAt(rows, index) };
  }
}
