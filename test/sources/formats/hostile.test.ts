import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../../src/sources/formats/formats.ts';
import { times } from '../../support/proof.ts';
import { chance } from '../../whole/chance.ts';
import { fixture } from './format-suite.ts';
import { hostileLine } from './hostile.ts';
import { readText } from './reading.ts';
import { expectSound } from './sound.ts';

/** The total number of generated snapshots. */
const SNAPSHOTS = times('broken snapshots', 7_000, 100_000);
const SEED = 20240229;
const AT_ONCE = 500;

/** Matches values that correctly contain no snapshot: a notice, an empty page or list. */
const NO_SNAPSHOT = /"(?:delete|users|accounts|profiles|meta)":/;

describe('hostile snapshots', () => {
  it.each([undefined, ...FORMAT_NAMES])(
    'give one observation or input error each (from %s)',
    { timeout: 60_000 + SNAPSHOTS * 10 },
    async (from) => {
      const random = chance(SEED);
      const snapshots = FORMAT_NAMES.map(fixture);
      const every = SNAPSHOTS / (FORMAT_NAMES.length + 1);
      let observed = 0;
      for (let done = 0; done < every; done += AT_ONCE) {
        // the first line shows that each line contains one value
        const lines = ['{"first":1}', ...Array.from({ length: AT_ONCE }, () => hostileLine(snapshots, random))];
        const found = await readText(lines.join('\n'), { from, unescape: true });
        expectSound(found);
        const reportedLines = new Set(found.map(({ place }) => place.line));
        const withoutResult = lines.filter(
          (line, index) => !reportedLines.has(index + 1) && !NO_SNAPSHOT.test(line) && !/^\s*$/.test(line) && !isEmptyList(line),
        );
        expect(withoutResult).toEqual([]);
        observed += found.filter(({ kind }) => kind === 'observation').length;
      }
      // some snapshots must still be valid, or the test would check nothing
      expect(observed).toBeGreaterThan(every / 100);
    },
  );
});

function isEmptyList(line: string): boolean {
  return /^[[\]\s]*$/.test(line);
}
