import { DAY_MS } from '../../contract/instant.ts';
import { FIELDS_IN_ORDER } from '../../contract/profile-fields.ts';
import type { ChangeRecord, DataType } from '../../contract/record.ts';
import { valueMarkup } from '../change-list.ts';
import { dateMarkup, fullDate } from '../dates.ts';
import { valueNote } from '../invisible/invisible-difference.ts';
import { type ByteText, byteText, joined, type Markup, markup, numberMarkup, orEmpty, trusted } from '../markup.ts';
import type { AddressOf } from './record-lookup.ts';

/** The least number of changes of an account with such a table. The table of fewer changes is as long as their list, and adds 300 bytes. */
const LEAST_CHANGES = 3;

/** The greatest number of values of a field in the table. */
const MAX_VALUES = 6;

/** The greatest length of a value in the table, in bytes. */
const MAX_BYTES = 100;

/** A value of a field, with the number of separate periods in which the account had it. */
interface FieldValue {
  /** Its oldest record. */
  first: ChangeRecord;
  /** The record that ended its last period; undefined if it is the latest value. */
  readonly next: ChangeRecord | undefined;
  periods: number;
}

/** A field that changed. */
interface ChangedField {
  readonly type: DataType;
  /** Newest first. */
  readonly records: readonly ChangeRecord[];
  /** The value that the account had last comes first. */
  readonly values: readonly FieldValue[];
}

/**
 * Returns the history of the fields that changed: a lane of time for each, and a table with each value once.
 * @param records all records of the account, newest first
 */
export function historyGlance(records: readonly ChangeRecord[], hrefOf: AddressOf): Markup | '' {
  if (records.length < LEAST_CHANGES || records.filter(({ previous }) => previous !== null).length < LEAST_CHANGES) return '';
  const fields = changedFields(records);
  // a record can repeat the value before it
  if (fields.length === 0) return '';
  const groups = fields.map(({ type, values }) => {
    const shown = values.slice(0, MAX_VALUES);
    const rest = values.length - shown.length;
    const more = rest === 0 ? '' : markup`<tr><td colspan=4>and ${numberMarkup(rest)} earlier\n`;
    const texts = shown.map(({ first }) => first.text ?? byteText(''));
    const rows = shown.map((value, index) => valueRow(type, value, texts.slice(0, index), texts[1] ?? byteText(''), hrefOf));
    return markup`<tbody><tr><th scope=rowgroup rowspan=${shown.length + (rest === 0 ? 0 : 1)}>${type}${trusted(rows.join('<tr>'))}${more}`;
  });
  return markup`<h2>History at a glance</h2>\n${lanes(fields, records)}<table class=glance><thead><tr><th scope=col>Field<th scope=col>Value<th scope=col>First seen<th scope=col>Next value seen<th scope=col>Periods</thead>\n${joined(groups)}</table>\n`;
}

function changedFields(records: readonly ChangeRecord[]): readonly ChangedField[] {
  return FIELDS_IN_ORDER.flatMap((type) => {
    const own = records.filter(({ data_type }) => data_type === type);
    const values = own.length < 2 ? [] : valuesOf(own);
    return values.length < 2 ? [] : [{ type, records: own, values }];
  });
}

/** @param records of a field, newest first */
function valuesOf(records: readonly ChangeRecord[]): readonly FieldValue[] {
  const values = new Map<ByteText | null, FieldValue>();
  let next: ChangeRecord | undefined;
  for (const record of records) {
    const known = values.get(record.text);
    if (known === undefined) values.set(record.text, { first: record, next, periods: 1 });
    else {
      known.first = record;
      if (next?.text !== record.text) known.periods += 1;
    }
    next = record;
  }
  return [...values.values()];
}

/** Labels of dates. A wide screen hides them, because the head of the table has them. */
const [FIRST_SEEN, NEXT_SEEN] = [markup`<span class=label>first seen </span>`, markup`<span class=label>next value seen </span>`];

/** @param above the texts of the rows above. The row shows where it differs from the last of them, and the first row from `second` */
function valueRow(
  type: DataType,
  { first, next, periods }: FieldValue,
  above: readonly ByteText[],
  second: ByteText,
  hrefOf: AddressOf,
): Markup {
  const { text, first_encountered_date: from } = first;
  const shown = orEmpty(valueMarkup(excerpt(text ?? '', above.at(-1) ?? second), type));
  const to = next === undefined ? markup`latest value` : markup`${NEXT_SEEN}${dateMarkup(next.first_encountered_date.slice(0, 10))}`;
  const count = periods === 1 ? markup` class=once>1 period` : markup`>${numberMarkup(periods)} separate periods`;
  // values in different rows can look the same
  return markup`<td dir=auto>${shown}${valueNote(text ?? '', above)}<td><a href="${hrefOf(first)}">${FIRST_SEEN}${dateMarkup(from.slice(0, 10))}</a><td>${to}<td${count}\n`;
}

const ELLIPSIS = byteText('…');

/** Returns the part of a long text around its first difference from another text. */
function excerpt(text: ByteText, other: ByteText): ByteText {
  if (text.length <= MAX_BYTES) return text;
  let commonStart = 0;
  while (commonStart < text.length && text[commonStart] === other[commonStart]) commonStart += 1;
  const word = text.indexOf(' ', Math.max(0, commonStart - MAX_BYTES / 2)) + 1;
  const start =
    commonStart <= MAX_BYTES / 2 ? 0 : word > 0 && word <= commonStart ? word : characterStart(text, commonStart - MAX_BYTES / 2);
  const end = characterStart(text, Math.min(text.length, start + MAX_BYTES));
  return `${start === 0 ? '' : ELLIPSIS}${text.slice(start, end)}${end === text.length ? '' : ELLIPSIS}`;
}

/** Returns the index of the first byte of a character. @param byte the index of any of its bytes */
function characterStart(text: ByteText, byte: number): number {
  let at = byte;
  while ((text.charCodeAt(at) & 0xc0) === 0x80) at -= 1;
  return at;
}

const [WIDTH, LABELS, ROW] = [960, 170, 40];

/** Returns a lane for each field, with a mark at each change. */
function lanes(fields: readonly ChangedField[], records: readonly ChangeRecord[]): Markup {
  const [newest, oldest] = [records[0], records.at(-1)];
  const [start, end] = [dayNumber(oldest), dayNumber(newest)];
  const scale = (WIDTH - LABELS - 2) / Math.max(1, end - start);
  let [lines, marks, labels] = ['', '', ''];
  for (const [row, { type, records: own }] of fields.entries()) {
    const top = row * ROW;
    lines += `M${LABELS} ${top + 20}H${WIDTH}`;
    labels += `<text x="0" y="${top + 25}">${type}</text>`;
    let last = -1;
    for (const record of own) {
      const x = Math.round(LABELS + 1 + (dayNumber(record) - start) * scale);
      if (x !== last && record.previous !== null) marks += `M${x} ${top + 7}v26`;
      last = x;
    }
  }
  const bottom = fields.length * ROW + 16;
  const [first, last] = [dateText(oldest), dateText(newest)];
  return markup`<svg class=lanes viewBox="0 0 ${WIDTH} ${bottom + 8}" role=img aria-label="Days of changes, from ${first} to ${last}">
<path d="${trusted(lines)}"/><path d="${trusted(marks)}"/>${trusted(labels)}<text x="${LABELS}" y="${bottom}">${first}</text><text x="${WIDTH}" y="${bottom}">${last}</text>
</svg>
`;
}

function dateText(record: ChangeRecord | undefined): Markup {
  return fullDate(record?.first_encountered_date ?? '');
}

/** Returns the number of a record's day since 1970. */
function dayNumber(record: ChangeRecord | undefined): number {
  const date = record?.first_encountered_date ?? '';
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10))) / DAY_MS;
}
