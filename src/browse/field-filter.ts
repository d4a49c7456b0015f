import type { ChangeRecord, DataType } from '../contract/record.ts';
import { FIELD_CLASSES } from './change-markup.ts';
import { number } from './numbers.ts';

const ORDER: readonly DataType[] = ['Name', 'Bio', 'Location', 'Website', 'Verified'];

/**
 * Returns a filter by field for the changes on a page. It needs no script: the style sheet hides the other changes. The
 * element with the class `changes` must follow it.
 */
export function fieldFilter(records: readonly ChangeRecord[]): string {
  const counts = new Map<DataType, number>();
  for (const { data_type } of records) counts.set(data_type, (counts.get(data_type) ?? 0) + 1);
  const choices = ORDER.filter((type) => counts.has(type)).map((type) => choice(`f${FIELD_CLASSES[type]}`, type, counts.get(type) ?? 0));
  return `<fieldset class=filter><legend>Field</legend>${choice('fA', 'All', records.length, ' checked')}${choices.join('')}</fieldset>\n`;
}

function choice(id: string, label: string, count: number, checked = ''): string {
  return `<input type=radio name=field id=${id}${checked}><label for=${id}>${label} <small>${number(count)}</small></label>`;
}
