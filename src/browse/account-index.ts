import type { HandleOfRow } from '../store/stored-accounts.ts';
import { byteText } from './byte-text.ts';
import { accountPlace } from './paths.ts';

/** The number of folders of `browse/account/`. */
export const FOLDERS = 256;

/** The accounts that have a handle in each folder. It holds 9 bytes for each handle. */
export class AccountIndex {
  readonly #rows: Float64Array;
  readonly #starts: Uint32Array;

  /** @param count the number of handles */
  constructor(handles: Iterable<HandleOfRow>, count: number) {
    const folders = new Uint8Array(count);
    const rows = new Float64Array(count);
    const starts = new Uint32Array(FOLDERS + 1);
    let place = 0;
    for (const { id, handle } of handles) {
      const folder = Number.parseInt(accountPlace(byteText(handle)).folder, 16);
      folders[place] = folder;
      rows[place] = id;
      starts[folder + 1] = (starts[folder + 1] ?? 0) + 1;
      place += 1;
    }
    for (let folder = 0; folder < FOLDERS; folder += 1) starts[folder + 1] = (starts[folder + 1] ?? 0) + (starts[folder] ?? 0);
    const next = starts.slice();
    this.#rows = new Float64Array(count);
    for (const [index, folder] of folders.entries()) {
      const at = next[folder] ?? 0;
      this.#rows[at] = rows[index] ?? 0;
      next[folder] = at + 1;
    }
    this.#starts = starts;
  }

  /** Returns the row numbers of the accounts that have a handle in a folder. */
  rows(folder: number): Float64Array {
    return this.#rows.subarray(this.#starts[folder], this.#starts[folder + 1]);
  }
}
