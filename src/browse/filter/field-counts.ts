import type { FeedVisitor } from '../../store/feed/feed-days.ts';
import type { UnframedFile } from '../page-frame.ts';
import { FIELD_PAGES, fieldsPath, type NewestCounts, type PageCounts } from './field-files.ts';
import { CHOICES, choicesOf } from './record-filter.ts';

/** The records of a choice. */
export type RecordsOfChoice = (typeof CHOICES)[number] & {
  readonly records: number;
  /** The newest page that has some; 0: no page. */
  readonly newestPage: number;
};

const WIDTH = CHOICES.length;

/** Counts the records of each page of changes by the choices of the filter. It holds 28 bytes for each page. */
export class FieldCounts {
  readonly #records: number;
  readonly #pageSize: number;
  /** The counts of the first page, of the second one, and so on. */
  readonly #counts: Uint32Array;

  /** @param records the number of all records */
  constructor(records: number, pageSize: number) {
    this.#records = records;
    this.#pageSize = pageSize;
    this.#counts = new Uint32Array(this.#pages * WIDTH);
  }

  /** Counts a record. @param before the number of newer records */
  readonly add: FeedVisitor = ({ type, isFirst }, before) => {
    const page = Math.floor((this.#records - before - 1) / this.#pageSize);
    for (const place of choicesOf(type, isFirst)) this.#counts[page * WIDTH + place] = this.#on(page, place) + 1;
  };

  totals(): readonly RecordsOfChoice[] {
    return CHOICES.map((choice, place) => {
      let [records, newestPage] = [0, 0];
      for (let page = 0; page < this.#pages; page += 1) {
        const count = this.#on(page, place);
        records += count;
        if (count > 0) newestPage = page + 1;
      }
      return { ...choice, records, newestPage };
    });
  }

  /** Yields the files with which the script finds other pages that have records of a choice, without the newest part. */
  *files(isOld: boolean): Generator<UnframedFile> {
    for (const { first, counts } of this.#parts().slice(0, -1)) {
      const text = () => `palimpsestFields = ${JSON.stringify(counts)};\n`;
      yield { path: fieldsPath(first), render: isOld ? undefined : () => [Buffer.from(text())] };
    }
  }

  /** Returns the newest part; undefined if there are no pages. */
  newest(): NewestCounts | undefined {
    return this.#parts().at(-1);
  }

  /** Returns the counts of all pages, the oldest part first. */
  #parts(): readonly NewestCounts[] {
    const parts: NewestCounts[] = [];
    const before = CHOICES.map(() => 0);
    for (let first = 0; first < this.#pages; first += FIELD_PAGES) parts.push({ first: first + 1, counts: this.#partFrom(first, before) });
    return parts;
  }

  /** @param before the records of each choice on the pages before; those of this part are added */
  #partFrom(first: number, before: number[]): PageCounts {
    const part: Record<string, readonly number[]> = {};
    const pages = Math.min(FIELD_PAGES, this.#pages - first);
    for (const [place, { id }] of CHOICES.entries()) {
      const counts = Array.from({ length: pages }, (_, index) => this.#on(first + index, place));
      const older = before[place] ?? 0;
      part[id] = [older, ...counts];
      before[place] = counts.reduce((sum, count) => sum + count, older);
    }
    return part;
  }

  get #pages(): number {
    return Math.ceil(this.#records / this.#pageSize);
  }

  #on(page: number, place: number): number {
    return this.#counts[page * WIDTH + place] ?? 0;
  }
}
