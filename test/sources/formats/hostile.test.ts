import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../../src/sources/formats/formats.ts';
import { chance } from '../../whole/chance.ts';
import { fixture } from './format-suite.ts';
import { hostileLine } from './hostile.ts';
import { readText } from './reading.ts';
import { expectSound } from './sound.ts';

/** How many snapshots are tried in all. */
const SNAPSHOTS = Number(process.env['PALIMPSEST_TEST_HOSTILE'] ?? 7_000);
const SEED = Number(process.env['PALIMPSEST_TEST_SEED'] ?? 20240229);
const AT_ONCE = 500;

/** Found where a value holds no snapshot and that is right: a notice, an empty page or list. */
const MAY_BE_SILENT = /"(?:delete|users|accounts|profiles|meta)":/;

describe('hostile snapshots', () => {
  it.each([undefined, ...FORMAT_NAMES])(
    'give an observation or a inputError each (from %s)',
    { timeout: 60_000 + SNAPSHOTS * 10 },
    async (from) => {
      const random = chance(SEED);
      const snapshots = FORMAT_NAMES.map(fixture);
      const every = SNAPSHOTS / (FORMAT_NAMES.length + 1);
      let observed = 0;
      for (let done = 0; done < every; done += AT_ONCE) {
        // the first line shows that one value stands on each
        const lines = ['{"first":1}', ...Array.from({ length: AT_ONCE }, () => hostileLine(snapshots, random))];
        const found = await readText(lines.join('\n'), { from, unescape: true });
        expectSound(found);
        const heard = new Set(found.map(({ place }) => place.line));
        const silent = lines.filter(
          (line, index) => !heard.has(index + 1) && !MAY_BE_SILENT.test(line) && !/^\s*$/.test(line) && !isEmptyList(line),
        );
        expect(silent).toEqual([]);
        observed += found.filter(({ kind }) => kind === 'observation').length;
      }
      // not so hostile that nothing is looked at
      expect(observed).toBeGreaterThan(every / 100);
    },
  );
});

function isEmptyList(line: string): boolean {
  return /^[[\]\s]*$/.test(line);
}
