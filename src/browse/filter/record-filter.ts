import { FIELDS_IN_ORDER, PROFILE_FIELDS } from '../../contract/profile-fields.ts';
import type { ChangeRecord, DataType } from '../../contract/record.ts';
import { joined, type Markup, markup, numberMarkup } from '../markup.ts';

/** A choice of a filter beside all records. */
interface Choice {
  /** The class of its records in HTML pages; C: changes, F: first values. */
  readonly id: 'C' | 'F' | (typeof PROFILE_FIELDS)[DataType]['htmlClass'];
  readonly name: 'Changes' | 'First values' | DataType;
}

const KINDS: readonly Choice[] = [
  { id: 'C', name: 'Changes' },
  { id: 'F', name: 'First values' },
];

/** The choices in their order. */
export const CHOICES: readonly Choice[] = [...KINDS, ...FIELDS_IN_ORDER.map((name) => ({ id: PROFILE_FIELDS[name].htmlClass, name }))];

/** Returns the places of the two choices that a record belongs to. */
export function choicesOf(type: DataType, isFirst: boolean): readonly [kind: number, field: number] {
  return [isFirst ? 1 : 0, KINDS.length + PROFILE_FIELDS[type].place];
}

/**
 * Returns a filter by field, and by changes or first values. It needs no script: the style sheet hides the other records. An
 * element with the class `changes` must follow it.
 * @param all records of the account: the filter counts them too, and leaves out what the account does not have. A page of all
 * changes has every choice, so that a link to any page can name one.
 */
export function recordFilter(records: readonly ChangeRecord[], all?: readonly ChangeRecord[]): Markup {
  const [shown, total] = [countsOf(records), all && countsOf(all)];
  const [changes, firstValues] = total ?? [];
  const isShown = (place: number) => (place < KINDS.length ? changes !== 0 && firstValues !== 0 : total?.[place] !== 0);
  const choices = CHOICES.map(({ id, name }, place) =>
    isShown(place)
      ? markup`<input type=radio name=f id=f${id}><label for=f${id}>${name} <small>${countMarkup(shown[place], total?.[place])}</small></label>`
      : '',
  );
  return markup`<fieldset class=filter><legend>Show records</legend><input type=radio name=f id=fA checked><label for=fA>All</label>${joined(choices)}</fieldset>
<div class=filters data-filters></div>
`;
}

function countMarkup(shown = 0, total = shown): Markup {
  return total === shown ? numberMarkup(shown) : markup`${numberMarkup(shown)} of ${numberMarkup(total)}`;
}

/** Counts records by the places of their choices. */
function countsOf(records: readonly ChangeRecord[]): readonly number[] {
  const counts = CHOICES.map(() => 0);
  for (const { data_type, previous } of records) {
    for (const place of choicesOf(data_type, previous === null)) counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}
