import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv } from '../../src/export/csv.ts';
import type { Column, Value } from '../../src/export/tables.ts';
import { hostileText } from '../support/histories.ts';

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'integer', isNullable: false },
  { name: 'text', type: 'text', isNullable: true },
  { name: 'more', type: 'text', isNullable: true },
];

function csvOf(rows: readonly (readonly Value[])[]): string {
  return [...csv(COLUMNS, rows)].join('');
}

/** Parses CSV as RFC 4180 defines it. A cell without quotes that is empty is null. */
function parsed(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let match = cells.exec(text); match !== null; match = cells.exec(text)) {
    const [, quoted, plain = '', end] = match;
    row.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end !== '\r\n') continue;
    rows.push(row);
    row = [];
  }
  expect(rows.map((cellsOfRow) => cellsOfRow.length)).toEqual(rows.map(() => COLUMNS.length));
  return rows;
}

const unmarked = (cell: string | null) => cell?.replace(/^'/, '') ?? null;

describe('CSV', () => {
  it('has a header line, and every line ends with CR LF', () => {
    expect(csvOf([])).toBe('id,text,more\r\n');
    expect(csvOf([[1, 'a', null]])).toBe('id,text,more\r\n1,a,\r\n');
    expect(csvOf([[1577836800000000, 'a', null]])).toBe("id,text,more\r\n'1577836800000000,a,\r\n");
  });

  it('distinguishes null from empty text, and quotes commas, quotes and line breaks', () => {
    expect(csvOf([[1, null, '']])).toBe('id,text,more\r\n1,,""\r\n');
    expect(csvOf([[1, 'a,"b"', 'c\r\nd']])).toBe('id,text,more\r\n1,"a,""b""","c\r\nd"\r\n');
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\tx', "'\tx"],
    ['\rx', '"\'\rx"'],
    ['\n=1', '"\'\n=1"'],
    ['  =1', "'  =1"],
    ['＝1', "'＝1"],
    ['\u200b=1', "'\u200b=1"],
    [' \u2060\ufeff-1', "' \u2060\ufeff-1"],
    ['1577836800000000', "'1577836800000000"],
    ['157783680000000', '157783680000000'],
    ['15778368000000000a', '15778368000000000a'],
    ["'=1", "''=1"],
    ["'90s", "''90s"],
    ['\n<del>a</del>', '"\n<del>a</del>"'],
    ['a=1', 'a=1'],
    ['https://x.example/?a=-1', 'https://x.example/?a=-1'],
  ])('writes %j as the cell %j', (text, cell) => {
    expect(csvOf([[1, text, 'x']])).toBe(`id,text,more\r\n1,${cell},x\r\n`);
  });

  it('gives every text back after one apostrophe is removed, and has no cell that begins like a formula', () => {
    const text = fc.oneof(hostileText, fc.string({ unit: fc.constantFrom('=', '+', "'", '"', ',', '\r', '\n', '\t', ' ', 'a', '\ud800') }));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.option(text), fc.option(text))), (rows) => {
        const [, ...cells] = parsed(csvOf(rows));
        expect(cells.map(([id, ...rest]) => [id, ...rest.map(unmarked)])).toEqual(
          rows.map(([id, ...texts]) => [String(id), ...texts.map((one) => one?.toWellFormed() ?? null)]),
        );
        for (const cell of cells.flat()) expect(cell ?? '').not.toMatch(/^(?:[\t\r]|\s*[=+\-@])/);
      }),
    );
  });
});
