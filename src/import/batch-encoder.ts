import { crc32 } from 'node:zlib';
import { encodeRecord } from '../contract/record.ts';
import { plainCommand } from '../sources/hint-command.ts';
import { fileInput } from '../sources/inputs/inputs.ts';
import { type ItemOptions, ItemReader } from '../sources/items/item-reader.ts';
import { readItems } from '../sources/items/items.ts';
import type { PageItems } from '../sources/items/page-items.ts';
import type { RawValue } from '../sources/json/raw-value.ts';
import type { Item } from '../sources/source.ts';

/** The texts of some JSON values of one input, as columns. */
export interface ReadRequest {
  readonly file: string;
  readonly texts: readonly string[];
  readonly lines: readonly number[];
  readonly paths: readonly string[];
  readonly isExport: boolean;
}

/** The items in the values of a {@link ReadRequest}: the records as columns, encoded as the store has them. */
export interface EncodedBatch {
  readonly ids: Float64Array;
  readonly accounts: readonly string[];
  /** The JSON of all records in UTF-8, and where each ends. */
  readonly json: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array;
  readonly checksums: Uint32Array;
  /** For each record the index of its value. */
  readonly values: Uint32Array;
  /** The other items, and before which record each is. */
  readonly others: readonly { readonly at: number; readonly item: Item }[];
  /** The results of a page that are among the values. */
  readonly results: PageItems;
}

/** The most bytes that a UTF-16 unit takes in UTF-8. */
const UNIT_BYTES = 3;

/** The options with which a {@link BatchEncoder} reads values. */
export const ENCODER_OPTIONS: ItemOptions = { command: plainCommand, openAgain: fileInput };

/** Parses values and encodes their records. */
export class BatchEncoder {
  /** The JSON of the records of one batch. It is reused for each batch. */
  #json = Buffer.allocUnsafeSlow(1 << 20);

  /** @returns undefined if a value has an error, or names a file to read again */
  encode({ file, texts, lines, paths, isExport }: ReadRequest): EncodedBatch | undefined {
    const reader = new ItemReader(file, ENCODER_OPTIONS);
    const [ids, accounts, ends, checksums, valueIndexes]: [number[], string[], number[], number[], number[]] = [[], [], [], [], []];
    const others: { readonly at: number; readonly item: Item }[] = [];
    let length = 0;
    for (const [index, text] of texts.entries()) {
      const value: RawValue = { text, line: lines[index] ?? 0, path: paths[index] ?? '' };
      for (const item of readItems(reader, [value], isExport)) {
        if (item.kind === 'error') return undefined;
        if (item.kind !== 'record') {
          others.push({ at: ids.length, item });
          continue;
        }
        const start = length;
        length = this.#write(item.json ?? encodeRecord(item.record), start);
        ids.push(item.record.id);
        accounts.push(item.record.account);
        ends.push(length);
        checksums.push(crc32(this.#json.subarray(start, length)));
        valueIndexes.push(index);
      }
    }
    if (reader.filesToReadAgain.length > 0) return undefined;
    return {
      ids: Float64Array.from(ids),
      accounts,
      json: new Uint8Array(this.#json.subarray(0, length)),
      ends: Uint32Array.from(ends),
      checksums: Uint32Array.from(checksums),
      values: Uint32Array.from(valueIndexes),
      others,
      results: reader.streamed,
    };
  }

  #write(json: string, start: number): number {
    const needed = start + json.length * UNIT_BYTES;
    if (needed > this.#json.length) {
      const larger = Buffer.allocUnsafeSlow(2 * needed);
      this.#json.copy(larger, 0, 0, start);
      this.#json = larger;
    }
    return start + this.#json.write(json, start);
  }
}
