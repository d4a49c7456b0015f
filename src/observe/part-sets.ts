import { plural } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import type { PartHeader } from '../sources/snapshots/part-header.ts';

/** The maximum number of missing parts that an error names. */
const MAX_NAMED = 10;

interface ReadPart {
  readonly header: PartHeader;
  readonly file: string;
  /** How many snapshots were read. */
  snapshots: number;
}

/** The parts among the inputs of a run. Parts of the same sources are a set, which must be complete. */
export class PartSets {
  readonly #parts: ReadPart[] = [];

  begin(header: PartHeader, file: string): void {
    this.#parts.push({ header, file, snapshots: 0 });
  }

  /** Counts a snapshot of the present part, if the part is in this file. */
  count(file: string | undefined): void {
    const part = this.#parts.at(-1);
    if (part?.file === file && part !== undefined) part.snapshots += 1;
  }

  /** @throws Failure bad-part, no-part; all-rejected or no-source if no part of a set has a snapshot */
  throwIfIncomplete(): void {
    const sets = new Map<string, ReadPart[]>();
    for (const part of this.#parts) {
      if (part.snapshots !== part.header.snapshots) throw damaged(part);
      sets.set(part.header.sources, [...(sets.get(part.header.sources) ?? []), part]);
    }
    for (const set of sets.values()) checkSet(set, sets.size);
  }
}

function checkSet(set: readonly ReadPart[], sets: number): void {
  const present = new Map(set.map((part) => [part.header.part, part]));
  const { parts } = set[0]?.header ?? { parts: 0 };
  const missing = Array.from({ length: parts }, (_, number) => number).filter((number) => !present.has(number));
  const place = { file: set[0]?.file ?? '' };
  if (missing.length > 0) {
    const more = missing.length > MAX_NAMED ? `, and ${missing.length - MAX_NAMED} more` : '';
    const others = sets > 1 ? `; parts of ${sets} runs were named, so remove those of other sources or options` : '';
    throw new Failure('no-part', `parts are missing: ${missing.length} of ${parts}`, {
      place,
      expected: `all ${plural(parts, 'part')} that were written from the same sources with the same options`,
      found: `no part ${missing.slice(0, MAX_NAMED).join(', ')}${more}`,
      hint: `run palimpsest normalize with --shard ${missing[0]}/${parts}, and so on, or name all parts${others}; nothing was added`,
    });
  }
  const sum = (count: (header: PartHeader) => number) => [...present.values()].reduce((all, { header }) => all + count(header), 0);
  if (sum(({ snapshots }) => snapshots) > 0) return;
  const rejected = sum((header) => header.rejected);
  if (rejected > 0) {
    throw new Failure('all-rejected', 'no part has a snapshot', {
      place,
      expected: 'at least one snapshot that can be read',
      found: plural(rejected, 'rejected item'),
      hint: 'correct the items in the rejects files of palimpsest normalize, then name these files as sources; nothing was added',
    });
  }
  if (sum((header) => header.files) === 0) {
    throw new Failure('no-source', 'no part was written from a file', {
      place,
      expected: 'at least one file or member of an archive that matches the patterns',
      found: 'none',
      hint: 'check --include and --exclude of palimpsest normalize, then write all parts again; nothing was added',
    });
  }
}

function damaged({ header, file, snapshots }: ReadPart): Failure {
  return new Failure('bad-part', `${file} is not the whole part`, {
    place: { file },
    expected: plural(header.snapshots, 'snapshot'),
    found: plural(snapshots, 'snapshot'),
    hint: `write it again: palimpsest normalize with --shard ${header.part}/${header.parts}; nothing was added`,
  });
}
