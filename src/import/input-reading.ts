import type { Pauses } from '../contract/event-loop-pauses.ts';
import { type ItemOptions, ItemReader } from '../sources/items/item-reader.ts';
import { type BatchValues, batchesOf, type ItemBatch, readItems } from '../sources/items/items.ts';
import type { RawValue } from '../sources/json/raw-value.ts';
import type { Input, Item, RecordItem } from '../sources/source.ts';
import type { EncodedRecord } from '../store/feed/records.ts';
import { ThreadPool } from '../threads/thread-pool.ts';
import { ENCODER_OPTIONS, type EncodedBatch, type ReadRequest } from './batch-encoder.ts';

/** With less text, a thread takes longer to start than it saves. In UTF-16 units. */
const READ_AFTER = 1 << 22;
/** How many batches are read ahead, so that neither thread waits for the other. */
const AHEAD = 4;

/** A record that a thread has parsed and encoded. */
export interface EncodedItem {
  readonly kind: 'encoded';
  readonly record: EncodedRecord;
  /** Reads the record again, with its place. */
  readonly item: () => RecordItem;
}

export interface ThreadOptions {
  /** Whether a thread may parse the values. */
  readonly isAllowed: boolean;
  /** How much text is read before the thread starts, in UTF-16 units. */
  readonly after?: number | undefined;
}

/**
 * Reads the items of inputs. A thread parses the values, and the main thread divides the bytes into values, reads values with
 * errors again, and keeps the order. So the result is the same with and without a thread.
 */
export class InputReading {
  readonly #options: ItemOptions;
  readonly #pauses: Pauses;
  readonly #threads: ThreadOptions;
  /** It has no answer if the values have an error. */
  #thread: ThreadPool<ReadRequest, EncodedBatch | undefined> | undefined;
  #length = 0;

  constructor(options: ItemOptions, pauses: Pauses, threads: ThreadOptions) {
    this.#options = options;
    this.#pauses = pauses;
    this.#threads = threads;
  }

  /** Yields the items of all inputs, in their order. Calls `onEnd` after those of each input. */
  async *itemsOf(inputs: Iterable<Input>, onEnd: () => void): AsyncGenerator<Iterable<Item | EncodedItem>> {
    const queue: (() => AsyncGenerator<Iterable<Item | EncodedItem>>)[] = [];
    for (const input of inputs) {
      for await (const batch of batchesOf(input, this.#options)) {
        const answer = batch.values === undefined ? undefined : this.#ask(batch.values);
        queue.push(() => this.#read(batch, answer));
        while (queue.length > (this.#thread === undefined ? 0 : AHEAD)) yield* queue.shift()?.() ?? [];
      }
      queue.push(async function* () {
        yield [];
        onEnd();
      });
    }
    for (const rest of queue) yield* rest();
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }

  /** Sends values to the thread, if there is one. */
  #ask({ values, file, isExport }: BatchValues): Promise<EncodedBatch | undefined> | undefined {
    for (const { text } of values) this.#length += text.length;
    if (!this.#threads.isAllowed || this.#length <= (this.#threads.after ?? READ_AFTER) || !values.every(isPlain)) return undefined;
    this.#thread ??= new ThreadPool(new URL('./reading-thread.js', import.meta.url), [undefined]);
    const [texts, lines, paths] = [values.map(({ text }) => text), values.map(({ line }) => line), values.map(({ path }) => path)];
    // after an error of the thread, this thread reads the values, and gets the same error
    return this.#thread.ask({ file, texts, lines, paths, isExport }).catch(() => undefined);
  }

  async *#read(batch: ItemBatch, answer: Promise<EncodedBatch | undefined> | undefined): AsyncGenerator<Iterable<Item | EncodedItem>> {
    const encoded = answer === undefined ? undefined : await this.#pauses.until(answer);
    if (encoded === undefined || batch.values === undefined) {
      yield* batch.read();
      return;
    }
    const { ids, others, results } = encoded;
    batch.values.accept({ records: ids.length, others: others.map(({ item }) => item), results });
    yield itemsIn(encoded, batch.values);
  }
}

/** Whether a value is only a text. A thread cannot read other values. */
function isPlain({ broken, elements }: RawValue): boolean {
  return broken === undefined && elements === undefined;
}

function* itemsIn(
  { ids, accounts, json, ends, checksums, values, others }: EncodedBatch,
  batch: BatchValues,
): Generator<Item | EncodedItem> {
  const bytes = Buffer.from(json.buffer);
  const rest = others.values();
  let [start, other] = [0, rest.next()];
  for (const [index, account] of accounts.entries()) {
    for (; !other.done && other.value.at === index; other = rest.next()) yield other.value.item;
    const end = ends[index] ?? 0;
    const record = { id: ids[index] ?? 0, account, json: bytes.subarray(start, end), checksum: checksums[index] ?? 0 };
    yield { kind: 'encoded', record, item: () => readAgain(batch, values, index) };
    start = end;
  }
  for (; !other.done; other = rest.next()) yield other.value.item;
}

/** Reads the value of a record again. @param values for each record of the batch the index of its value */
function readAgain({ file, values, isExport }: BatchValues, indexes: Uint32Array, record: number): RecordItem {
  const index = indexes[record] ?? 0;
  const value = values[index];
  const items = value === undefined ? [] : readItems(new ItemReader(file, ENCODER_OPTIONS), [value], isExport);
  const item = items.filter(({ kind }) => kind === 'record')[record - indexes.indexOf(index)];
  if (item?.kind !== 'record') throw new Error(`a thread found a record in ${file}, and the main thread does not`);
  return item;
}
