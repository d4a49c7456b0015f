import type { ExportHeader } from '../../contract/accounts/account-state.ts';
import type { InputError, Item } from '../source.ts';

/** Counts the items of an export and compares them with the totals in its first line. */
export class ExportLines {
  readonly #header: ExportHeader;
  #accounts = 0;
  #records = 0;
  #exclusions = 0;
  #inputErrors = 0;

  constructor(header: ExportHeader) {
    this.#header = header;
  }

  /** @param records the number of records that are not among the items */
  count(items: readonly Item[], records = 0): void {
    this.#records += records;
    for (const { kind } of items) {
      if (kind === 'state') this.#accounts += 1;
      else if (kind === 'record') this.#records += 1;
      else if (kind === 'exclusion') this.#exclusions += 1;
      else if (kind === 'error') this.#inputErrors += 1;
    }
  }

  /** Returns an error if lines are missing or if there are too many. A rejected line counts as present. */
  errorIn(file: string): InputError | undefined {
    const { accounts, records, exclusions = 0 } = this.#header;
    const expected = accounts + records + exclusions;
    const found = this.#accounts + this.#records + this.#exclusions + this.#inputErrors;
    const isWhole = expected === found && this.#accounts <= accounts && this.#records <= records && this.#exclusions <= exclusions;
    if (isWhole) return undefined;
    return {
      kind: 'error',
      code: 'bad-source',
      place: { file },
      expected: `${linesText(accounts, records, exclusions)}, according to the first line`,
      found: linesText(this.#accounts, this.#records, this.#exclusions),
      hint: 'the export is incomplete or was edited: copy it again, or export it again',
    };
  }
}

function linesText(accounts: number, records: number, exclusions: number): string {
  return `${accounts} accounts and ${records} records${exclusions === 0 ? '' : ` and ${exclusions} exclusions`}`;
}
