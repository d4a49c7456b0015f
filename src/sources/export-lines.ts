import type { ExportHeader } from '../contract/account-state.ts';
import type { Flaw, Item } from './source.ts';

/** Counts the items of an export, whose first line says how many there are. */
export class ExportLines {
  readonly #header: ExportHeader;
  #accounts = 0;
  #records = 0;
  #flaws = 0;

  constructor(header: ExportHeader) {
    this.#header = header;
  }

  count(items: readonly Item[]): void {
    for (const { kind } of items) {
      if (kind === 'state') this.#accounts += 1;
      else if (kind === 'record') this.#records += 1;
      else if (kind === 'flaw') this.#flaws += 1;
    }
  }

  /** What is wrong with the whole: lines that are missing, or too many. A line with a flaw counts as one that is there. */
  flawIn(file: string): Flaw | undefined {
    const { accounts, records } = this.#header;
    const [expected, found] = [accounts + records, this.#accounts + this.#records + this.#flaws];
    const isWhole = expected === found && this.#accounts <= accounts && this.#records <= records;
    if (isWhole) return undefined;
    return {
      kind: 'flaw',
      code: 'bad-source',
      place: { file },
      expected: `${accounts} accounts and ${records} records, as the first line says`,
      found: `${this.#accounts} accounts and ${this.#records} records`,
      hint: 'the export was cut short or edited: copy it again, or export it again',
    };
  }
}
