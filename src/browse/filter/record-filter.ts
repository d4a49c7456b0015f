import { FIELDS_IN_ORDER, PROFILE_FIELDS } from '../../contract/profile-fields.ts';
import type { ChangeRecord, DataType } from '../../contract/record.ts';
import { joined, type Markup, markup, numberMarkup, trusted } from '../markup.ts';

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

/** The number of counts: the records of each choice, and then the first values of each field. */
export const COUNTED: number = CHOICES.length + FIELDS_IN_ORDER.length;

/** Returns the places of the counts that a record belongs to. */
export function countedPlaces(type: DataType, isFirst: boolean): readonly number[] {
  const { place } = PROFILE_FIELDS[type];
  return isFirst ? [1, KINDS.length + place, CHOICES.length + place] : [0, KINDS.length + place];
}

/**
 * Returns how many records a choice has. For a field, it counts the changes and the first values separately, in words.
 * @param countAt returns the count at a place
 */
export function choiceCounts(place: number, countAt: (place: number) => number, totalAt = countAt): Markup {
  if (place < KINDS.length) return countMarkup(countAt(place), totalAt(place));
  const firstPlace = CHOICES.length + place - KINDS.length;
  const [firstValues, allFirstValues] = [countAt(firstPlace), totalAt(firstPlace)];
  const [changes, allChanges] = [countAt(place) - firstValues, totalAt(place) - allFirstValues];
  const inWords = (shown: number, total: number, noun: string) =>
    total === 0 ? [] : [markup`${countMarkup(shown, total)} ${trusted(noun)}${total === 1 ? '' : 's'}`];
  const parts = [...inWords(changes, allChanges, 'change'), ...inWords(firstValues, allFirstValues, 'first value')];
  return parts.length === 0 ? markup`0` : trusted(parts.join(', '));
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
      ? markup`<input type=radio name=f id=f${id}><label for=f${id}>${name} <small>${choiceCounts(place, countIn(shown), countIn(total ?? shown))}</small></label>`
      : '',
  );
  return markup`<fieldset class=filter><legend>Show records</legend><input type=radio name=f id=fA checked><label for=fA>All</label>${joined(choices)}</fieldset>
<div class=filters data-filters></div>
`;
}

function countIn(counts: readonly number[]): (place: number) => number {
  return (place) => counts[place] ?? 0;
}

function countMarkup(shown: number, total: number): Markup {
  return total === shown ? numberMarkup(shown) : markup`${numberMarkup(shown)} of ${numberMarkup(total)}`;
}

/** Counts records by place. */
function countsOf(records: readonly ChangeRecord[]): readonly number[] {
  const counts = Array.from({ length: COUNTED }, () => 0);
  for (const { data_type, previous } of records) {
    for (const place of countedPlaces(data_type, previous === null)) counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}
