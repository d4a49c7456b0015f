import { expect, it } from 'vitest';
import { parseRecords, plainText } from '../../src/browse/byte-text.ts';
import { encodeRecord } from '../../src/contract/record.ts';
import { bioRecord } from '../support/bio-record.ts';
import { withoutControls } from './parsed-html.ts';

const TEXTS = ['},{"id":1', '\\"', '\b', '\f', '\n\t\r', '\u0000', '\u007f', '\u2028', '\ufffe', '\uffff', '\ud800', 'é', '東京 🌹'];

it.each(TEXTS)('parseRecords reads %j in every field', (text) => {
  const record = { ...bioRecord(1), data_type: 'Bio', account: `x${text}`, text, diff_html: text, web_archive_url: text } as const;
  const records = parseRecords(Buffer.from([record, record].map(encodeRecord).join(',')));
  expect(records).toHaveLength(2);
  for (const field of ['account', 'text', 'diff_html', 'web_archive_url'] as const)
    expect(plainText(records[1]?.[field] ?? '')).toBe(withoutControls(record[field]));
});
