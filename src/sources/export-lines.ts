import type { ExportHeader } from '../contract/account-state.ts';
import { plural } from '../contract/plural.ts';
import type { InputError, Item } from './source.ts';

/** Counts the items of an export and compares them with the totals in its first line. */
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

  /** Returns an error if lines are missing or if there are too many. A rejected line counts as present. */
  errorIn(file: string): InputError | undefined {
    const { accounts, records } = this.#header;
    const [expected, found] = [accounts + records, this.#accounts + this.#records + this.#inputErrors];
    const isWhole = expected === found && this.#accounts <= accounts && this.#records <= records;
    if (isWhole) return undefined;
    return {
      kind: 'error',
      code: 'bad-source',
      place: { file },
      expected: `${plural(accounts, 'account')} and ${plural(records, 'record')}, according to the first line`,
      found: `${this.#accounts} accounts and ${this.#records} records`,
      hint: 'the export is incomplete or was edited: copy it again, or export it again',
    };
  }
}
