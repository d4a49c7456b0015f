import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortedLines } from '../../../src/store/histories/sorted-lines.ts';

describe('the external sort of lines', () => {
  it('yields the lines that an array sorts, however small the runs are', () => {
    const line = fc.string({ unit: 'binary', maxLength: 6 }).map((text) => Buffer.from(text.replaceAll('\n', ' ')).toString('latin1'));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 1500, size: 'max' }), fc.integer({ min: 1, max: 3000 }), (lines, runSize) => {
        expect([...sortedLines(lines, runSize)]).toEqual(lines.toSorted());
      }),
      { numRuns: 15 },
    );
  });

  it('keeps equal lines and empty lines', () => {
    expect([...sortedLines(['b', '', 'a', 'b', ''], 1)]).toEqual(['', '', 'a', 'b', 'b']);
    expect([...sortedLines([])]).toEqual([]);
  });
});
