/** The build and the script in the browser use this source. It imports nothing. */

/** A part of two texts: in both, only in the first, or only in the second. */
export interface WordPart {
  readonly kind: 'kept' | 'removed' | 'added';
  readonly text: string;
}

/** The largest product of the numbers of words of both texts. Larger texts are shown one after the other. */
const MOST = 4_000_000;

/**
 * Compares two texts word by word. The result has the longest sequence of words that both have.
 * @param split divides a text into its words
 */
export function wordDiff(before: string, after: string, split: (text: string) => readonly string[] = wordsOf): readonly WordPart[] {
  const [old, fresh] = [split(before), split(after)];
  const columns = fresh.length + 1;
  const parts: WordPart[] = [];
  const add = (kind: WordPart['kind'], text: string) => {
    const last = parts.at(-1);
    if (last?.kind === kind) parts[parts.length - 1] = { kind, text: last.text + text };
    else if (text !== '') parts.push({ kind, text });
  };
  let [removed, added] = ['', ''];
  const addChange = () => {
    add('removed', removed);
    add('added', added);
    [removed, added] = ['', ''];
  };
  if (old.length * fresh.length > MOST) {
    [removed, added] = [before, after];
    addChange();
    return parts;
  }
  // the length of the longest common sequence of the words from i and from j on
  const lengths = new Uint16Array((old.length + 1) * columns);
  const at = (i: number, j: number) => lengths[i * columns + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      lengths[i * columns + j] = old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    const [word = '', other = ''] = [old[i], fresh[j]];
    const isSame = word === other;
    // a space between two changed words belongs to the change: the words read as one text
    if (isSame && (word.trim() !== '' || removed + added === '' || old[i + 1] === fresh[j + 1])) {
      addChange();
      add('kept', word);
      [i, j] = [i + 1, j + 1];
      continue;
    }
    const isRemoved = j === fresh.length || (i < old.length && at(i + 1, j) >= at(i, j + 1));
    if (isSame || isRemoved) {
      removed += word;
      i += 1;
    }
    if (isSame || !isRemoved) {
      added += other;
      j += 1;
    }
  }
  addChange();
  return parts;
}

function wordsOf(text: string): string[] {
  return Array.from(new Intl.Segmenter('en', { granularity: 'word' }).segment(text), ({ segment }) => segment);
}
