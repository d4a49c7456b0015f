import { fstatSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTemporaryFile } from '../../../src/contract/files/temporary-file.ts';
import { ExternalSorter } from '../../../src/observe/spool/external-sorter.ts';
import { BY_TIME, type Row } from '../../../src/observe/spool/sorted-run.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** How many rows are sorted in memory before a run is written. */
const RUN = 262_144;

const row = (instant: number, line: number): Row => ({
  instant,
  profile: line * 3,
  archive: line % 2,
  account: line % 5,
  input: Math.floor(line / 7),
  line,
});

const newSpool = () => openTemporaryFile(join(temporaryFolder(), 'sorter'));

describe('ExternalSorter', () => {
  it('orders rows of one time by account, then by input, and keeps the order of the others', () => {
    const given = [9, 2, 7, 2, 7, 9].map((account, line) => ({ ...row(5, line), account, input: line === 2 ? 1 : 0 }));
    const sorter = new ExternalSorter(newSpool(), BY_TIME);
    for (const each of [row(Number.MAX_SAFE_INTEGER, 6), ...given, row(0, 7)]) sorter.add(each);
    expect([...sorter.inOrder()].map(({ line }) => line)).toEqual([7, 1, 3, 4, 2, 0, 5, 6]);
    sorter.close();
  });

  it.each<[number, string, (line: number) => number]>([
    [RUN * 2 + 1, 'in order within each run', (line) => line % RUN],
    [RUN + 1, 'in random order', (line) => (line * 7919) % 10_007],
    [RUN, 'in order except the last', (line) => (line === RUN - 1 ? 0 : Math.floor(line / 3))],
  ])('sorts %i rows, with rows %s', (length, _, instantOf) => {
    const spool = newSpool();
    const sorter = new ExternalSorter(spool, BY_TIME);
    for (let line = 0; line < length; line += 1) sorter.add(row(instantOf(line), line));
    expect(sorter.length).toBe(length);
    expect(fstatSync(spool.descriptor).size).toBe(Math.floor((length - 1) / RUN) * RUN * 48);
    let [count, wrong, lines] = [0, 0, 0];
    let before: Row = row(-1, -1);
    for (const each of sorter.inOrder()) {
      const isAfter = (each.instant - before.instant || each.account - before.account || each.line - before.line) > 0;
      const isWhole = each.instant === instantOf(each.line) && each.profile === each.line * 3 && each.input === Math.floor(each.line / 7);
      if (!isAfter || !isWhole || each.archive !== each.line % 2 || each.account !== each.line % 5) wrong += 1;
      count += 1;
      lines += each.line;
      before = each;
    }
    expect([count, wrong, lines]).toEqual([length, 0, (length * (length - 1)) / 2]);
    sorter.close();
  });
});
