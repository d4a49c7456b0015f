import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { partHeader } from '../../src/sources/snapshots/part-header.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inputsFrom, observeSerially } from '../support/parts.ts';
import { contentsOf, type Snapshot } from '../support/snapshots.ts';

/** Returns a part as the lines of a file. */
function part(number: number, parts: number, snapshots: readonly Snapshot[], more: { readonly [field: string]: unknown } = {}): Snapshot[] {
  return [
    { ...partHeader({ part: number, parts, sources: 'a', files: 1, snapshots: snapshots.length, rejected: 0 }), ...more },
    ...snapshots,
  ];
}

const seen = (second: number, bio: string): Snapshot => ({ observed_at: `2020-01-01T00:00:0${second}Z`, screen_name: 'ann', bio });

/** Observes sources into a new store. Returns the texts of the records, newest first. */
async function texts(...sources: readonly (readonly (Snapshot | string)[])[]): Promise<(string | null)[]> {
  const store = join(temporaryFolder(), 'store.db');
  await observeSerially(store, inputsFrom(sources));
  return contentsOf(store).feed.map(({ text }) => text);
}

describe('parts', () => {
  const [first, second, third] = [part(0, 3, [seen(1, 'a')]), part(1, 3, []), part(2, 3, [seen(1, 'b'), seen(2, 'c')])];

  it('are read in the order of their numbers, whatever the order of the sources', async () => {
    expect(await texts(first, second, third)).toEqual(['c', 'b', 'a']);
    expect(await texts(third, second, first)).toEqual(['c', 'b', 'a']);
    expect(await texts([...third, ...first], second)).toEqual(['c', 'b', 'a']);
    // a part that is named twice changes nothing
    expect(await texts(third, first, second, first)).toEqual(['c', 'b', 'a']);
  });

  it('are refused if one is missing, also beside other sources', async () => {
    await expect(texts(first, third)).rejects.toMatchObject({ code: 'no-part', found: 'no part 1' });
    await expect(texts(third, [seen(3, 'd')])).rejects.toMatchObject({ code: 'no-part', found: 'no part 0, 1' });
    const other = part(1, 3, [], { sources: 'b' });
    await expect(texts(first, other, third)).rejects.toMatchObject({ code: 'no-part', hint: expect.stringContaining('2 runs') });
  });

  it('are refused if one is cut off or has an unknown first line', async () => {
    await expect(texts(first, second, third.slice(0, 2))).rejects.toMatchObject({
      code: 'bad-part',
      expected: '2 snapshots',
      found: '1 snapshot',
    });
    for (const more of [{ version: 2 }, { part: 3 }, { parts: 10_001 }, { also: 1 }])
      await expect(texts(first, part(1, 3, [], more), third)).rejects.toMatchObject({ code: 'bad-part', place: { file: 'input 1' } });
  });

  it('fail if no part has a snapshot because all items were rejected, or no file was read', async () => {
    const empty = (more: object) => [part(0, 2, [], { files: 0 }), part(1, 2, [], { files: 0, ...more })] as const;
    await expect(texts(...empty({ files: 3, rejected: 7 }))).rejects.toMatchObject({ code: 'all-rejected', found: '7 rejected items' });
    await expect(texts(...empty({}))).rejects.toMatchObject({ code: 'no-source' });
    expect(await texts(...empty({ files: 1 }))).toEqual([]);
  });
});
