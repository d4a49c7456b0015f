import { timestampOf } from '../../contract/instant.ts';
import type { ChangeRecord } from '../../contract/record.ts';
import { joined, type Markup, markup, trusted } from '../byte-text.ts';
import { clockTime, fullDate, fullTime, timeMarkup } from '../dates.ts';
import type { RecordFacts } from './record-lookup.ts';

/**
 * Returns between which two observations the fields of an entry changed: a sentence for each earlier observation. It names the
 * fields, because the others of the entry can have another one, or none that is known.
 */
export function changePeriods(entry: readonly ChangeRecord[], previousSeenTo: RecordFacts['previousSeenTo']): Markup | '' {
  let periods: Map<string, ChangeRecord[]> | undefined;
  for (const record of entry) {
    const seenTo = record.previous === null ? undefined : previousSeenTo(record.id);
    if (seenTo === undefined) continue;
    const from = timestampOf(seenTo);
    // pages show whole seconds
    if (from.slice(0, 19) >= record.first_encountered_date.slice(0, 19)) continue;
    periods ??= new Map();
    periods.set(from, [...(periods.get(from) ?? []), record]);
  }
  return periods === undefined ? '' : joined(Array.from(periods, ([from, records]) => sentence(from, records)));
}

function sentence(from: string, records: readonly ChangeRecord[]): Markup {
  const fields = [...new Set(records.map(({ data_type }) => data_type))].join(', ').replace(/, (?=\w+$)/, ' and ');
  const to = records[0]?.first_encountered_date ?? '';
  const start = timeMarkup(from, markup`${fullDate(from)}, ${clockTime(from)}`);
  return markup`<p class=period>${trusted(fields)} changed between ${start} and ${timeMarkup(to, fullTime(to))}</p>\n`;
}
