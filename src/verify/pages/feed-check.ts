import { isGenerated } from '../../contract/generated-id.ts';
import { show } from '../../contract/json.ts';
import { RECORD_PATTERN } from '../../contract/pages/json-patterns.ts';
import { type ChangeRecord, encodeRecord, parseRecord } from '../../contract/record.ts';
import type { Report } from '../violation.ts';
import { markupError } from './diff-markup.ts';
import type { RecordJson } from './large-page.ts';
import { parsedItems, type TreeMetadata, type WalkOptions, walkPages } from './tree-pages.ts';

export interface FoundRecord extends RecordJson {
  readonly path: string;
}

/** A record that was compared with the bytes of its page. Its JSON is known after the whole page was compared. */
export interface ComparedRecord {
  readonly record: ChangeRecord;
  readonly json: () => Buffer;
}

/** What the order of the feed depends on. */
export type RecordPlace = Pick<ChangeRecord, 'id' | 'first_encountered_date'>;

/** Walks the feed, and checks each record against its rules. */
export function* walkFeed(tree: TreeMetadata, report: Report, { range, damaged }: WalkOptions = {}): Generator<FoundRecord, void> {
  let before: RecordPlace | undefined;
  for (const page of walkPages(tree, 'data', report, range)) {
    damaged?.feed.begin(page.path, report.isDamaged(page.path));
    const { path, comparison } = page;
    const records = [
      ...parsedItems(page, 'record-field', report, (item, index) => {
        const record = parseRecord(item, `results[${index}]`);
        comparison.expectComma(index);
        return { record, json: comparison.next(RECORD_PATTERN, () => encodeRecord(record)) };
      }),
    ];
    if (records.length === page.items.length) page.expectItems(() => records.map(({ json }) => json()));
    for (const { record, json } of records) {
      const found = { record, json: json(), path };
      damaged?.feed.read(found.record.id);
      checkRecord(found, before, report);
      before = found.record;
      yield found;
    }
  }
}

function checkRecord({ record, path }: FoundRecord, before: RecordPlace | undefined, report: Report): void {
  if (before !== undefined) checkPlace(record, before, path, report);
  const problem = markupError(record.diff_html);
  if (problem === undefined) return;
  const rule = isGenerated(record) ? 'record-markup' : 'imported-record-markup';
  const expected = 'only span, del, ins, a and br, as the API defines them';
  report.add({ rule, path, subject: `record ${record.id}`, expected, found: problem });
}

/** Checks the place of a record in the feed, after the record before it. The order of imported records is not certain. */
export function checkPlace(record: RecordPlace, before: RecordPlace, path: string, report: Report): void {
  const subject = `record ${record.id}`;
  if (record.id >= before.id)
    report.add({ rule: 'record-order', path, subject, expected: `an id below ${before.id}`, found: String(record.id) });
  const [date, dateBefore] = [record.first_encountered_date, before.first_encountered_date];
  if (comparable(date) <= comparable(dateBefore)) return;
  const rule = isGenerated(record) && isGenerated(before) ? 'record-date' : 'imported-record-date';
  report.add({ rule, path, subject, expected: `no later than ${dateBefore}`, found: show(date) });
}

/** Returns a timestamp with an explicit fraction: such texts compare like times. */
function comparable(timestamp: string): string {
  return timestamp.includes('.') ? timestamp : `${timestamp.slice(0, -1)}.000000Z`;
}
