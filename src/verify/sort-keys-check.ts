import type { BuildRecord } from '../tree/build-record.ts';
import { sortKeysIn } from '../tree/existing-tree.ts';
import { type AccountKey, type PageRange, SORT_KEYS } from '../tree/sort-keys.ts';
import type { TreeFiles } from '../tree/tree-files.ts';
import type { Report } from './violation.ts';

/** Compares a tree's sort keys with its pages during the walk. Reports only the first difference. */
export class SortKeysCheck {
  readonly #report: Report;
  readonly #size: number;
  #ranges: Iterator<PageRange> | undefined;
  #accounts: Iterator<AccountKey> | undefined;
  #first = 0;
  #last = 0;
  #onPage = 0;
  #difference: { readonly expected: string; readonly found: string } | undefined;

  constructor(files: TreeFiles, build: BuildRecord, report: Report) {
    this.#report = report;
    this.#size = build.page_size;
    this.#attempt(() => {
      const keys = sortKeysIn(files);
      this.#expect(
        `data ${build.page_size}, account ${build.account_page_size}`,
        `data ${keys.dataPageSize}, account ${keys.accountPageSize}`,
      );
      this.#ranges = keys.ranges[Symbol.iterator]();
      this.#accounts = keys.accounts[Symbol.iterator]();
    });
  }

  record(id: number): void {
    if (this.#onPage === 0) this.#first = id;
    this.#last = id;
    this.#onPage += 1;
    if (this.#onPage === this.#size) this.#endPage();
  }

  account(name: string, firstRecord: number | undefined): void {
    this.#attempt(() => this.#expect(JSON.stringify(firstRecord ?? name), JSON.stringify(this.#accounts?.next().value) ?? 'no line'));
  }

  /** Reports the difference, but only if there is no other violation: otherwise it follows from that violation. */
  end(): void {
    if (this.#onPage > 0) this.#endPage();
    this.#attempt(() =>
      this.#expect('no more lines', [this.#ranges, this.#accounts].every((one) => one?.next().done) ? 'no more lines' : 'more lines'),
    );
    if (this.#difference === undefined || this.#report.violationCount > 0) return;
    this.#report.add({ rule: 'sort-keys', path: SORT_KEYS, ...this.#difference });
  }

  #endPage(): void {
    this.#onPage = 0;
    this.#attempt(() => {
      const range = this.#ranges?.next().value;
      this.#expect(`${this.#first} ${this.#last}`, range === undefined ? 'no line' : `${range.first} ${range.last}`);
    });
  }

  #expect(expected: string, found: string): void {
    if (expected !== found) this.#difference ??= { expected, found };
  }

  #attempt(check: () => void): void {
    if (this.#difference !== undefined) return;
    try {
      check();
    } catch (error) {
      this.#difference = { expected: 'the sort keys of a tree', found: error instanceof Error ? error.message : String(error) };
    }
  }
}
