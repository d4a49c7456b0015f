import type { FormatName } from '../formats/all-formats.ts';
import type { Input } from '../source.ts';
import { withArchivesJoined } from './twitter-archive-folder.ts';

/** The smallest part of the sources that one task reads: a file, an object, or the files of a Twitter archive. */
export interface SourceUnit {
  readonly name: string;
  /** In bytes; undefined if it is not known. */
  readonly size: number | undefined;
  readonly inputs: readonly Input[];
}

/**
 * Returns the units of all inputs, in their order. Lists the objects of an object store.
 * @param from the format of all snapshots, if it is not detected
 */
export async function sourceUnits(inputs: readonly Input[], from: FormatName | undefined): Promise<SourceUnit[]> {
  const units: SourceUnit[] = [];
  for (const input of withArchivesJoined(inputs, from)) {
    if ('parts' in input) {
      const parts = input.parts.map((part) => part.input);
      const sizes = parts.map(({ size }) => size ?? 0);
      const size = sizes.reduce((sum, one) => sum + one, 0);
      units.push({ name: parts[0]?.name ?? '', size, inputs: [...parts, ...input.skipped] });
    } else if (input.pages === undefined) {
      units.push({ name: input.name, size: input.size, inputs: [input] });
    } else {
      for await (const page of input.pages()) {
        units.push({ name: page.name, size: page.size, inputs: [{ ...input, pages: () => only(page) }] });
      }
    }
  }
  return units;
}

/**
 * Returns the units of one shard. The shards follow each other in the order of the sources, and have about the same size.
 * @param number the number of the shard, from 0
 */
export function unitsOfShard(units: readonly SourceUnit[], number: number, shards: number): SourceUnit[] {
  const known = units.flatMap(({ size }) => size ?? []);
  const mean = known.reduce((sum, size) => sum + size, 0) / known.length || 1;
  // an empty unit is a little work too
  const weights = units.map(({ size }) => Math.max(size ?? mean, 1));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let before = 0;
  return units.filter((_, index) => {
    const weight = weights[index] ?? 0;
    const middle = before + weight / 2;
    before += weight;
    return Math.floor((middle / all) * shards) === number;
  });
}

async function* only(page: Input): AsyncGenerator<Input> {
  yield page;
}
