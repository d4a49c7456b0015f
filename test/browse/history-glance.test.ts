import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { accountPage } from '../../src/browse/paths.ts';
import type { ChangeRecord } from '../../src/contract/record.ts';
import { elementsNamed, textOf } from './parsed-html.ts';
import { browseFiles, historyOf, storeOf, textsOf } from './small-site.ts';

/** Returns the page of an account with these bios, one in a minute. */
function pageWith(bios: readonly string[]): Promise<string> {
  return pageOf(bios.map((text) => ({ text })));
}

async function pageOf(records: readonly Partial<ChangeRecord>[]): Promise<string> {
  const files = textsOf(browseFiles(await storeOf(historyOf(records))));
  return files.get(accountPage('nina')) ?? '';
}

/** Returns the cells of each row of the table. */
function rowsOf(html: string): readonly (readonly string[])[] {
  const [table] = elementsNamed(parse(html), 'table');
  return table === undefined
    ? []
    : elementsNamed(table, 'tr')
        .slice(1)
        .map((row) => elementsNamed(row, 'td').map((cell) => textOf(cell).trim()));
}

describe('the history of an account at a glance', () => {
  it('names characters that no eye sees, because values in different rows look the same without them', async () => {
    const page = await pageWith(Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? 'maps' : 'ma\u200bps')));
    expect(rowsOf(page).map(([value]) => value)).toEqual(['ma\u200bps contains zero-width space U+200B', 'maps']);
  });

  it('names what no eye sees between two values of the table', async () => {
    const page = await pageWith(['Ann ', 'Jos\u00e9', 'Jose\u0301', 'Ann', 'Anna']);
    expect(rowsOf(page).map(([value]) => value)).toEqual([
      'Anna',
      'Ann',
      'Jose\u0301',
      'Jos\u00e9 unlike the value above: normalization: U+0065 U+0301 became U+00E9',
      'Ann  unlike the value above: space U+0020 added',
    ]);
  });

  it('has each value once, with its times, also if values alternate', async () => {
    const page = await pageWith(Array.from({ length: 18 }, (_, n) => (n % 2 === 0 ? '' : 'İ'.repeat(80))));
    const from = '1 January 2020';
    expect(rowsOf(page)).toEqual([
      [`${'İ'.repeat(50)}…`, `first seen ${from}`, 'latest value', '9 separate periods'],
      ['empty', `first seen ${from}`, `next value seen ${from}`, '9 separate periods'],
    ]);
    // the date leads to the first record of the value
    expect(page).toContain('<td><a href="#r2"><span class=label>first seen </span><time');
    expect(elementsNamed(parse(page), 'svg')).toHaveLength(1);
  });

  it('shows the part of a long value that differs from the value above', async () => {
    const bio = (n: number) => `${'word '.repeat(40)}number ${n}${' end'.repeat(40)}`;
    const rows = rowsOf(await pageWith(Array.from({ length: 16 }, (_, n) => bio(n))));
    expect(rows.slice(0, 3).map(([value]) => value)).toEqual(
      [15, 14, 13].map((n) => `…${'word '.repeat(8)}number ${n}${' end'.repeat(12)} en…`),
    );
  });

  it('has the latest values of many, and begins with three changes', async () => {
    const rows = rowsOf(await pageWith(Array.from({ length: 30 }, (_, n) => `bio ${n}`)));
    expect(rows.map(([value]) => value)).toEqual([...Array.from({ length: 6 }, (_, n) => `bio ${29 - n}`), 'and 24 earlier']);
    const few = (changes: number) => pageWith(Array.from({ length: 1 + changes }, (_, n) => `bio ${n}`));
    expect(rowsOf(await few(2))).toEqual([]);
    expect(rowsOf(await few(3)).map(([value]) => value)).toEqual(['bio 3', 'bio 2', 'bio 1', 'bio 0']);
    expect(await pageWith(['same', 'same', 'same', 'same'])).not.toContain('History at a glance');
  });

  it('has only the fields that changed', async () => {
    const types = ['Name', 'Bio', 'Location', 'Website'] as const;
    const before = [...types, 'Verified' as const].map((data_type) => ({ data_type, previous: null, text: 'true' }));
    const changes = (text: string, first: number) => types.map((data_type, n) => ({ data_type, previous: first + n + 1, text }));
    const page = await pageOf([...before, ...changes('newer', 0), ...changes('new', 5)]);
    expect(rowsOf(page).map(([value]) => value)).toEqual(types.flatMap(() => ['new', 'newer', 'true']));
    const [lanes] = elementsNamed(parse(page), 'svg').map((svg) => elementsNamed(svg, 'text').map((text) => textOf(text)));
    expect(lanes?.slice(0, -2)).toEqual(types);
  });
});
