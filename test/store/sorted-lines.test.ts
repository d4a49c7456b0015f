import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortedLines } from '../../src/store/sorted-lines.ts';

const line = fc.oneof(fc.stringMatching(/^[ab]{0,4}$/), fc.string({ unit: 'grapheme' })).map((text) => text.replaceAll('\n', ' '));

describe('sorted lines', () => {
  it('come out as from a sort in memory, whatever the size of the runs', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 200 }), fc.integer({ min: 1, max: 400 }), (lines, units) => {
        expect([...sortedLines(lines, units)]).toEqual(lines.toSorted());
      }),
    );
  });

  it('come out whole if one is longer than what is read at once', () => {
    const lines = Array.from({ length: 12 }, (_, index) => String.fromCodePoint(0x1f600 - index).repeat(30_000 + index));
    expect([...sortedLines(lines, 100_000)]).toEqual(lines.toSorted());
  });

  it('leave no temporary file when the reader stops early', () => {
    const files = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`palimpsest-sort-${process.pid}-`));
    for (const first of sortedLines(['b', 'a', 'c'], 1)) {
      expect(first).toBe('a');
      expect(files()).toHaveLength(1);
      break;
    }
    expect(files()).toEqual([]);
  });
});
