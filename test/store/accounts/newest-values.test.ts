import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChangeRecord, DATA_TYPES, encodeRecord } from '../../../src/contract/record.ts';
import { newestValues } from '../../../src/store/accounts/newest-values.ts';

const text = fc.oneof(
  fc.constant(null),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"data_type":"Bio"', '{"id":7,"account":"x"', '\\"'),
);
const records = fc.array(fc.record({ data_type: fc.constantFrom(...DATA_TYPES), account: fc.string({ minLength: 1 }), text }));
const recordsOf = (values: readonly Pick<ChangeRecord, 'data_type' | 'account' | 'text'>[]): ChangeRecord[] =>
  values.map((value, index) => ({
    ...value,
    id: values.length - index,
    previous: index % 2 === 0 ? null : 1,
    first_encountered_date: '2024-03-05T06:07:08Z',
    diff_html: `<ins>${value.text}</ins>`,
    web_archive_url: null,
  }));
const jsonOf = (of: readonly ChangeRecord[]) => Buffer.from(of.map(encodeRecord).join(','));

describe('newestValues', () => {
  it('finds the values that parsing the records finds', () => {
    fc.assert(
      fc.property(records, (values) => {
        const all = recordsOf(values);
        const expected = ['Name', 'Website', 'Location', 'Bio'].flatMap((type) => {
          const newest = all.find(({ data_type }) => data_type === type);
          return newest === undefined ? [] : [[type, { id: newest.id, text: newest.text }] as const];
        });
        const found = newestValues(jsonOf(all), all.length)?.map(({ data_type, ...value }) => [data_type, value] as const);
        expect(new Map(found)).toEqual(new Map(expected));
      }),
    );
  });

  it('finds nothing if a record has another form than palimpsest writes', () => {
    const [record] = recordsOf([{ data_type: 'Bio', account: 'jack', text: 'x' }]);
    const json = encodeRecord(record as ChangeRecord);
    const { id, ...others } = record as ChangeRecord;
    for (const other of [
      json.replace('"data_type":', '"data_type": '),
      json.replace('"id":', '"id": '),
      JSON.stringify({ ...others, id }),
      JSON.stringify({ data_type: 'Bio', ...record }),
      json.replace('"text":"x"', '"text":"x","text":"y"'),
    ])
      expect(newestValues(Buffer.from(other), 1)).toBeUndefined();
    expect(newestValues(Buffer.from(json), 2)).toBeUndefined();
  });
});
