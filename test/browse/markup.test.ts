import { describe, expect, it } from 'vitest';
import { byteText, escapeText, joined, type Markup, markup, parseRecords, plainText, trusted } from '../../src/browse/markup.ts';
import { diffMarkup } from '../../src/browse/parse-diff-html.ts';
import { encodeRecord } from '../../src/contract/record.ts';
import { bioRecord } from '../support/bio-record.ts';
import { withoutControls } from './parsed-html.ts';

describe('a template of markup', () => {
  const text: string = ['<b>', '"'].join('');

  it('has numbers, texts of the program and markup as they are', () => {
    const sign: '' | ' x' = ' x';
    expect(markup`<p id=r${12}${sign}>${escapeText(text)}${markup`<i>\n`}</p>`).toBe('<p id=r12 x>&lt;b&gt;&quot;<i>\n</p>');
    expect(markup``).toBe('');
    expect(joined([markup`a`, '', markup`b`], '\n')).toBe('a\n\nb');
  });

  it('does not compile with a text that was not escaped', () => {
    // @ts-expect-error a text of which nothing is known
    expect(markup`<p>${text}</p>`).toBe(`<p>${text}</p>`);
    // @ts-expect-error a template that is not one of markup
    const assigned: Markup = `<p>${text}</p>`;
    // @ts-expect-error a template with such a text in it
    expect(markup`<p>${`<b>${text}</b>`}</p>`).toContain(text);
    expect(assigned).toBe(trusted(`<p>${text}</p>`));
  });
});

const TEXTS = [
  '},{"id":1',
  '\\"',
  '\b',
  '\f',
  '\n\t\r',
  '\u0000',
  '\u007f',
  '\u0080',
  '\u009f',
  '\u00a0',
  '\u2028',
  '\ufffe',
  '\uffff',
  '\ud800',
  'é',
  '東京 🌹',
];

it.each(TEXTS)('parseRecords reads %j in every field', (text) => {
  const record = { ...bioRecord(1), data_type: 'Bio', account: `x${text}`, text, diff_html: text, web_archive_url: text } as const;
  const records = parseRecords(Buffer.from([record, record].map(encodeRecord).join(',')));
  expect(records).toHaveLength(2);
  for (const field of ['account', 'text', 'diff_html', 'web_archive_url'] as const)
    expect(plainText(records[1]?.[field] ?? '')).toBe(record[field].toWellFormed());
});

it.each(TEXTS)('markup of %j has no character that HTML forbids', (text) => {
  const shown = withoutControls(text);
  expect(plainText(escapeText(byteText(`&${text}`)))).toBe(`&amp;${shown.replaceAll('"', '&quot;')}`);
  expect(plainText(diffMarkup(byteText(`<ins>${text}</ins>`))?.added ?? '')).toBe(shown);
});
