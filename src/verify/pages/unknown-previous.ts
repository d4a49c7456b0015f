import { isGenerated } from '../../contract/generated-id.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import type { Report } from '../violation.ts';
import type { BloomFilter } from './bloom-filter.ts';

/** The largest number of records to look up. It bounds memory, and a tree with more of them is wrong anyway. */
const KEPT = 100_000;

/** A record whose `previous` must be looked up, and its page. */
export interface Unknown {
  readonly record: ChangeRecord;
  readonly path: string;
}

/** Records whose `previous` is not in their account. It may be missing from this history, or belong to another account. */
export class UnknownPrevious {
  readonly #feed: BloomFilter;
  readonly #unknown = new Map<number, Unknown[]>();
  #count = 0;

  /** @param feed the ids of the feed: threads can add to the same filter */
  constructor(feed: BloomFilter) {
    this.#feed = feed;
  }

  /** Adds the id of a record of the feed. Call this for the whole feed before {@link add}. */
  addId(id: number): void {
    this.#feed.add(String(id));
  }

  /** Adds a record whose `previous` is not in its account. */
  add(record: ChangeRecord, path: string, report: Report): void {
    const { previous } = record;
    if (previous === null) return;
    // the filter has every id of the feed, and takes one in a million other ids for one of them
    if (this.#count >= KEPT || !this.#feed.has(String(previous))) {
      note({ record, path }, report);
      return;
    }
    this.#count += 1;
    this.#unknown.set(previous, [...(this.#unknown.get(previous) ?? []), { record, path }]);
  }

  /** The records to look up. */
  get unknown(): readonly Unknown[] {
    return [...this.#unknown.values()].flat();
  }

  /** Whether there is no record to look up. If false, the feed must be walked again. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Checks a record of the feed, during the second walk: it may be the `previous` of some records. */
  find(previous: ChangeRecord, report: Report): void {
    const unknown = this.#unknown.get(previous.id) ?? [];
    this.#unknown.delete(previous.id);
    for (const { record, path } of unknown) {
      const { account, data_type } = record;
      if (account === previous.account && data_type === previous.data_type) {
        note({ record, path }, report);
        continue;
      }
      const expected = `a record of ${account} and ${data_type}`;
      const found = `record ${previous.id} of ${previous.account} and ${previous.data_type}`;
      reportPrevious({ record, path }, expected, found, report);
    }
  }

  /** Reports the records whose `previous` the second walk did not find. */
  end(report: Report): void {
    for (const unknown of this.#unknown.values()) for (const one of unknown) note(one, report);
  }
}

/** Reports a record whose `previous` cannot be that of any record of its account and field. */
export function reportPrevious({ record, path }: Unknown, expected: string, found: string, report: Report): void {
  const rule = isGenerated(record) ? 'record-previous' : 'imported-record-previous';
  report.add({ rule, path, subject: `record ${record.id}`, expected, found });
}

function note({ record, path }: Unknown, report: Report): void {
  const expected = `record ${record.previous}`;
  report.add({ rule: 'record-predecessor', path, subject: `record ${record.id}`, expected, found: 'no such record of this account' });
}
