/** The build and the script in the browser use this source. It imports nothing. */

/** A part of two texts: in both, only in the first, or only in the second. */
export interface WordPart {
  readonly kind: 'kept' | 'removed' | 'added';
  readonly text: string;
}

/** The difference of two texts, word by word. */
export interface WordDiff {
  readonly parts: readonly WordPart[];
  /** False if a passage, or all that differs, has too many words to be compared. Then it is one removed and one added part. */
  readonly isCompared: boolean;
}

/** The largest product of the numbers of words that are compared. */
const MAX_COMPARED = 4_000_000;

/**
 * Compares two texts word by word. After the common prefix and before the common suffix, it keeps the longest common subsequence of
 * words. Texts with too many words are compared by passages first, and then each changed passage by words.
 * @param split divides a text into its words
 * @param most the largest product of the numbers of words that are compared
 */
export function wordDiff(
  before: string,
  after: string,
  split: (text: string) => readonly string[] = wordsOf,
  most: number = MAX_COMPARED,
): WordDiff {
  const [old, fresh] = [split(before), split(after)];
  const words = sequenceDiff(old, fresh, most);
  if (words.isCompared) return words;
  const passages = sequenceDiff(passagesOf(old), passagesOf(fresh), most).parts;
  const diffs = passages.flatMap(({ kind, text }, index): WordDiff | readonly WordDiff[] => {
    const [last, next] = [passages[index - 1], passages[index + 1]];
    if (kind === 'removed' && next?.kind === 'added') return sequenceDiff(split(text), split(next.text), most);
    return kind === 'added' && last?.kind === 'removed' ? [] : { parts: [{ kind, text }], isCompared: true };
  });
  return { parts: diffs.flatMap(({ parts }) => parts), isCompared: diffs.every(({ isCompared }) => isCompared) };
}

/** Joins words to passages. A passage is a sentence or a line. */
function passagesOf(words: readonly string[]): readonly string[] {
  const passages: string[] = [];
  let passage = '';
  for (const word of words) {
    passage += word;
    if (!PASSAGE_END.test(word)) continue;
    passages.push(passage);
    passage = '';
  }
  return [...passages, passage];
}

/** Matches the last character of a passage. A build compares the UTF-8 of the ideographic full stop. */
const PASSAGE_END = /(?:[.!?\n\u3002]|\u00e3\u0080\u0082)$/;

function sequenceDiff(oldWords: readonly string[], freshWords: readonly string[], most: number): WordDiff {
  const [start, end] = commonEnds(oldWords, freshWords);
  const [old, fresh] = [oldWords.slice(start, oldWords.length - end), freshWords.slice(start, freshWords.length - end)];
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
  add('kept', oldWords.slice(0, start).join(''));
  const rest = oldWords.slice(oldWords.length - end).join('');
  if (old.length * fresh.length > most) {
    [removed, added] = [old.join(''), fresh.join('')];
    addChange();
    add('kept', rest);
    return { parts, isCompared: false };
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
  add('kept', rest);
  return { parts, isCompared: true };
}

/** Returns the numbers of words with which both texts begin and end. A space before the common end is not in it. */
function commonEnds(old: readonly string[], fresh: readonly string[]): readonly [start: number, end: number] {
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  while (end > 0 && old.at(-end)?.trim() === '') end -= 1;
  return [start, end];
}

/** Matches an e-mail address or a URL, with the punctuation around it. Half of an address is no word. */
const ADDRESS = /((?<![!-~])[!-~]*(?:@|:\/\/)[!-~]*)/;

function wordsOf(text: string): string[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  // split() returns the addresses at odd indexes
  return text
    .split(ADDRESS)
    .flatMap((piece, index) => (index % 2 === 1 ? piece : Array.from(segmenter.segment(piece), ({ segment }) => segment)));
}
