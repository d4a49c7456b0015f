import type { Place } from '../contract/failure.ts';
import type { Observation } from '../contract/observation.ts';
import { ExternalSorter } from '../observe/external-sorter.ts';
import { partitionOf } from '../observe/partition.ts';
import { ProfilePool, type RowOfInput } from '../observe/profile-pool.ts';
import type { ObservationSink } from '../observe/read.ts';
import { StringPool, textAt } from '../observe/string-pool.ts';
import { openSpool } from '../store/spool-file.ts';
import { OffsetCache } from './offset-cache.ts';
import type { RowsFileWriter } from './rows-file-writer.ts';
import { BY_ACCOUNT, orderOf, type ShardRow } from './shard-row.ts';

/** Stores the observations of one shard on disk, and returns them by account. */
export class ShardSpool implements ObservationSink {
  readonly #shard: number;
  readonly #descriptor: number;
  readonly #texts: StringPool;
  readonly #profiles: ProfilePool;
  readonly #sorter: ExternalSorter<ShardRow>;
  /** The input of the last observation. */
  #input: { readonly name: string | undefined; readonly place: number } = { name: undefined, place: 0 };

  /** @param beside the path beside which the temporary files are created */
  constructor(shard: number, beside: string) {
    this.#shard = shard;
    const spool = openSpool(beside);
    this.#descriptor = spool.descriptor;
    this.#texts = new StringPool(spool);
    this.#profiles = new ProfilePool(this.#texts);
    this.#sorter = new ExternalSorter(openSpool(beside), BY_ACCOUNT);
  }

  get length(): number {
    return this.#sorter.length;
  }

  add(observation: Observation, { file = '', line = 0 }: Place): void {
    this.addRow(this.#profiles.put(observation, line), file);
  }

  beginPart(): void {}

  addRow({ instant, profile, archive, account, line }: RowOfInput, file: string): void {
    if (this.#input.name !== file) this.#input = { name: file, place: this.#texts.append(file) };
    const order = orderOf(this.#shard, this.length);
    this.#sorter.add({ instant, order, profile, archive, account, input: this.#input.place, line, changes: 0 });
  }

  /** Writes all observations, each partition as a range. Yields after each observation. */
  *writeTo(file: RowsFileWriter, partitions: number): Generator<void> {
    this.#texts.flush();
    const textOf = (place: number) => textAt([this.#descriptor], place);
    let partition = 0;
    let inputs = new OffsetCache();
    let [account, profile, text, written] = [-1, 0, '', 0];
    for (const row of this.#sorter.inOrder()) {
      for (const next = partitionOf(row.account, partitions); partition < next; partition += 1) {
        file.endRange();
        // the fold reads the texts of its own partition only
        inputs = new OffsetCache();
        account = -1;
      }
      if (account !== row.account || profile !== row.profile) {
        const newText = textOf(row.profile);
        if (account !== row.account || newText !== text) written = file.text(newText);
        [account, profile, text] = [row.account, row.profile, newText];
      }
      const archive = row.archive === 0 ? 0 : file.text(textOf(row.archive));
      const input = inputs.get(row.input, () => file.text(textOf(row.input)));
      file.add({ ...row, profile: written, archive, input });
      yield;
    }
    for (; partition < partitions; partition += 1) file.endRange();
  }

  close(): void {
    this.#texts.close();
    this.#sorter.close();
  }
}
