import type { ExportHeader } from '../contract/account-state.ts';
import type { InputError, Item } from './source.ts';

/** Counts the items of an export, whose first line says how many there are. */
export class ExportLines {
  readonly #header: ExportHeader;
  #accounts = 0;
  #records = 0;
  #inputErrors = 0;

  constructor(header: ExportHeader) {
    this.#header = header;
  }

  count(items: readonly Item[]): void {
    for (const { kind } of items) {
      if (kind === 'state') this.#accounts += 1;
      else if (kind === 'record') this.#records += 1;
      else if (kind === 'error') this.#inputErrors += 1;
    }
  }

  /** What is wrong with the whole: lines that are missing, or too many. A line with a inputError counts as one that is there. */
  errorIn(file: string): InputError | undefined {
    const { accounts, records } = this.#header;
    const [expected, found] = [accounts + records, this.#accounts + this.#records + this.#inputErrors];
    const isWhole = expected === found && this.#accounts <= accounts && this.#records <= records;
    if (isWhole) return undefined;
    return {
      kind: 'error',
      code: 'bad-source',
      place: { file },
      expected: `${accounts} accounts and ${records} records, as the first line says`,
      found: `${this.#accounts} accounts and ${this.#records} records`,
      hint: 'the export was cut short or edited: copy it again, or export it again',
    };
  }
}
