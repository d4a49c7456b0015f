import { chance } from '../../whole/chance.ts';

/** A page as a set of records; pages are numbered from 1, newest records first. */
export type Page = ReadonlySet<number>;

/** Divides items into pages. Index 0 is not a page. */
export function paged(records: readonly number[], size: number): Page[] {
  const pages: Page[] = [new Set()];
  for (let start = 0; start < records.length; start += size) pages.push(new Set(records.slice(start, start + size)));
  return pages;
}

/** Runs of writes: sequential within a run, in any order between runs. */
export type Phase = readonly (readonly { readonly page: number; readonly isOverlap: boolean }[])[];

/**
 * Carries out phases in random order, with at most `concurrency` runs at a time. Readers take steps between the
 * writes. Sometimes one more reader reads all pages, as if the publish had stopped at that moment.
 * @returns the number of records that the readers missed
 */
export function missed(old: readonly Page[], young: readonly Page[], phases: readonly Phase[], concurrency: number, seed: number): number {
  const random = chance(seed);
  const there: Page[] = [...old];
  const all = new Set(old.flatMap((page) => [...page]));
  const readers: { at: number; seen: Set<number> }[] = [];
  let lost = 0;
  const read = (reader: { at: number; seen: Set<number> }) => {
    for (const record of there[reader.at] ?? []) reader.seen.add(record);
    reader.at += 1;
    if (reader.at < there.length) return false;
    lost += [...all].filter((record) => !reader.seen.has(record)).length;
    return true;
  };
  for (const phase of phases) {
    const waiting = phase.map((run) => [...run]);
    const open = waiting.splice(0, concurrency);
    while (open.length > 0) {
      const index = Math.floor(random() * open.length);
      const step = open[index]?.shift();
      if (step === undefined) {
        open.splice(index, 1, ...waiting.splice(0, 1));
        continue;
      }
      const now = young[step.page] ?? new Set();
      there[step.page] = step.isOverlap ? new Set([...now, ...(there[step.page] ?? [])]) : now;
      if (random() < 0.3) readers.push({ at: 1, seen: new Set() });
      for (let steps = random() * 4; steps > 0 && readers.length > 0; steps -= 1) {
        const chosen = Math.floor(random() * readers.length);
        const reader = readers[chosen];
        if (reader !== undefined && read(reader)) readers.splice(chosen, 1);
      }
      if (random() < 0.05) for (const crawl = { at: 1, seen: new Set<number>() }; !read(crawl); );
    }
  }
  for (const reader of readers) while (!read(reader));
  return lost;
}
