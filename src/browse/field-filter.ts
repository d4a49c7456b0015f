import type { ChangeRecord, DataType } from '../contract/record.ts';
import { number } from './numbers.ts';

/** The class of the changes of a field, and of its choice in the filter. */
export const FIELD_CLASSES: { readonly [T in DataType]: string } = { Name: 'N', Bio: 'B', Location: 'L', Website: 'W', Verified: 'V' };

const ORDER: readonly DataType[] = ['Name', 'Bio', 'Location', 'Website', 'Verified'];

/**
 * Returns a filter by field for the changes on a page. It needs no script: the style sheet hides the other changes. An
 * element with the class `changes` must follow it.
 */
export function fieldFilter(records: readonly ChangeRecord[]): string {
  const counts = { Name: 0, Bio: 0, Location: 0, Website: 0, Verified: 0 };
  for (const { data_type } of records) counts[data_type] += 1;
  let choices = '';
  for (const type of ORDER) {
    const count = counts[type];
    if (count > 0)
      choices += `<input type=radio name=f id=f${FIELD_CLASSES[type]}><label for=f${FIELD_CLASSES[type]}>${type} <small>${number(count)}</small></label>`;
  }
  return `<fieldset class=filter><legend>Field</legend><input type=radio name=f id=fA checked><label for=fA>All <small>${number(records.length)}</small></label>${choices}</fieldset>
<div class=filters data-filters></div>
`;
}
