import type { FeedVisitor } from '../../store/feed/feed-days.ts';
import type { Markup } from '../markup.ts';
import type { UnframedFile } from '../page-frame.ts';
import { FIELD_PAGES, fieldsPath, type NewestCounts, type PageCounts } from './field-files.ts';
import { CHOICES, COUNTED, choiceCounts, countedPlaces } from './record-filter.ts';

/** The records of a choice. */
export type RecordsOfChoice = (typeof CHOICES)[number] & {
  readonly records: number;
  /** Their number as readers see it. For a field, changes and first values are counted separately. */
  readonly counts: Markup;
  /** The newest page that has some; 0: no page. */
  readonly newestPage: number;
};

/** Counts the records of each page of changes by the choices of the filter. It holds 48 bytes for each page. */
export class FieldCounts {
  readonly #records: number;
  readonly #pageSize: number;
  /** The counts of the first page, of the second one, and so on. */
  readonly #counts: Uint32Array;

  /** @param records the number of all records */
  constructor(records: number, pageSize: number) {
    this.#records = records;
    this.#pageSize = pageSize;
    this.#counts = new Uint32Array(this.#pages * COUNTED);
  }

  /** Counts a record. @param before the number of newer records */
  readonly add: FeedVisitor = ({ type, isFirst }, before) => {
    const page = Math.floor((this.#records - before - 1) / this.#pageSize);
    for (const place of countedPlaces(type, isFirst)) this.#counts[page * COUNTED + place] = this.#on(page, place) + 1;
  };

  totals(): readonly RecordsOfChoice[] {
    const [sums, newest]: [number[], number[]] = [[], []];
    for (let place = 0; place < COUNTED; place += 1) {
      let [sum, newestPage] = [0, 0];
      for (let page = 0; page < this.#pages; page += 1) {
        const count = this.#on(page, place);
        sum += count;
        if (count > 0) newestPage = page + 1;
      }
      sums.push(sum);
      newest.push(newestPage);
    }
    const sumAt = (place: number) => sums[place] ?? 0;
    return CHOICES.map((choice, place) => {
      return { ...choice, records: sumAt(place), newestPage: newest[place] ?? 0, counts: choiceCounts(place, sumAt) };
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
    return this.#counts[page * COUNTED + place] ?? 0;
  }
}
