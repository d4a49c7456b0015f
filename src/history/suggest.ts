import { diffChars } from 'diff';

/** How many letters two similar names may differ by. */
const MOST_EDITS = 4;

/** Returns the names most similar to a name, best first. Case is ignored. */
export function suggest(name: string, names: Iterable<string>, most: number): string[] {
  const wanted = name.toLowerCase();
  const found: { readonly name: string; readonly edits: number }[] = [];
  for (const candidate of names) {
    const edits = editsBetween(wanted, candidate.toLowerCase());
    if (edits !== undefined) found.push({ name: candidate, edits });
  }
  found.sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));
  return found.slice(0, most).map((candidate) => candidate.name);
}

function editsBetween(one: string, other: string): number | undefined {
  if (Math.abs(one.length - other.length) > MOST_EDITS) return undefined;
  if (other.startsWith(one)) return 1;
  const changes = diffChars(one, other, { maxEditLength: Math.min(MOST_EDITS, one.length) });
  return changes?.reduce((edits, change) => edits + (change.added || change.removed ? change.count : 0), 0);
}
