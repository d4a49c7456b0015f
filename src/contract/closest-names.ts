import { diffChars } from 'diff';

/**
 * Returns the names most similar to a name, best first. Case is ignored.
 * @param most the maximum number of names
 * @param mostEdits the maximum edit distance: insertions and deletions
 */
export function closestNames(name: string, names: Iterable<string>, most: number, mostEdits = 4): string[] {
  const wanted = name.toLowerCase();
  const found: { readonly name: string; readonly edits: number }[] = [];
  for (const candidate of names) {
    const edits = editsBetween(wanted, candidate.toLowerCase(), mostEdits);
    if (edits !== undefined) found.push({ name: candidate, edits });
  }
  found.sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));
  return found.slice(0, most).map((candidate) => candidate.name);
}

function editsBetween(one: string, other: string, most: number): number | undefined {
  if (Math.abs(one.length - other.length) > most) return undefined;
  if (other.startsWith(one)) return 1;
  const changes = diffChars(one, other, { maxEditLength: Math.min(most, one.length) });
  return changes?.reduce((edits, change) => edits + (change.added || change.removed ? change.count : 0), 0);
}
