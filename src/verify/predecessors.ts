import type { ChangeRecord } from '../contract/record.ts';
import { BloomFilter } from './multiset-hash.ts';
import type { Report } from './violation.ts';

/** How many are looked up. Memory stays flat, and a tree with more of them is wrong anyway. */
const KEPT = 100_000;

interface Unknown {
  readonly record: ChangeRecord;
  readonly path: string;
}

/** Records whose `previous` names none of their account: it may be part of no history that is here, or of another account. */
export class Predecessors {
  readonly #feed = new BloomFilter();
  readonly #unknown = new Map<number, Unknown[]>();
  #count = 0;

  /** Takes the id of each record in the feed first. */
  addId(id: number): void {
    this.#feed.add(String(id));
  }

  /** Takes a record whose previous is not in its account. */
  add(record: ChangeRecord, path: string, report: Report): void {
    const { previous } = record;
    if (previous === null) return;
    // the filter knows every id of the feed, and takes one in a million others for one
    if (this.#count >= KEPT || !this.#feed.has(String(previous))) {
      note({ record, path }, report);
      return;
    }
    this.#count += 1;
    this.#unknown.set(previous, [...(this.#unknown.get(previous) ?? []), { record, path }]);
  }

  /** Whether the feed has to be walked once more. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Takes a record of the feed on that second walk: it may be the previous of some. */
  find(previous: ChangeRecord, report: Report): void {
    const unknown = this.#unknown.get(previous.id) ?? [];
    this.#unknown.delete(previous.id);
    for (const { record, path } of unknown) {
      const { id, account, data_type } = record;
      if (account === previous.account && data_type === previous.data_type) {
        note({ record, path }, report);
        continue;
      }
      const expected = `a record of ${account} and ${data_type}`;
      const found = `record ${previous.id} of ${previous.account} and ${previous.data_type}`;
      report.add({ rule: 'record-previous', path, subject: `record ${id}`, expected, found });
    }
  }

  /** Reports those that the second walk did not meet. */
  end(report: Report): void {
    for (const unknown of this.#unknown.values()) for (const one of unknown) note(one, report);
  }
}

function note({ record, path }: Unknown, report: Report): void {
  const expected = `record ${record.previous}`;
  report.add({ rule: 'record-predecessor', path, subject: `record ${record.id}`, expected, found: 'no such record of this account' });
}
