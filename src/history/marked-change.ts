import wrapAnsi from 'wrap-ansi';
import type { DataType } from '../contract/record.ts';
import { type Segment, segmentsOf } from '../diff/diff-html.ts';
import { number, printable } from '../terminal.ts';

const COLORS = { kept: '', removed: '\u001b[31m', added: '\u001b[32m' } as const;
const PLAIN = '\u001b[39m';
const MARKS = { kept: ['', ''], removed: ['[-', '-]'], added: ['{+', '+}'] } as const;

/** How much of a text is shown, in UTF-16 units: to wrap one takes time that grows with the square of its length. */
const LONGEST = 10_000;

/** Letters that are written from right to left, and marks that turn a text's direction. */
const DIRECTED = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\u200f\u202a-\u202e\u2066-\u2069]/u;
/** They keep a text's direction from moving what stands around it. */
const [ISOLATE, END_ISOLATE] = ['\u2068', '\u2069'];
const ISOLATES = /[\u2066-\u2069]/g;

/**
 * A change as lines for a terminal: what was removed as `[-old-]`, what was added as `{+new+}`, in colour
 * too where that is wanted, wrapped to so many columns.
 * @param before undefined: there was nothing to compare with
 */
export function markedChange(
  type: DataType,
  before: string | null | undefined,
  after: string | null,
  columns: number,
  inColor: boolean,
): string[] {
  const segments = segmentsFor(type, before ?? '', after ?? '');
  if (segments.length === 0) return ['(empty)'];
  const text = segments.map((segment) => marked(segment, inColor)).join('');
  return isolatedLines(wrapAnsi(text, columns, { hard: true, trim: false }).split('\n'));
}

/** Texts are compared letter by letter, the other fields as wholes. */
function segmentsFor(type: DataType, before: string, after: string): Segment[] {
  if (type === 'Name' || type === 'Bio') return segmentsOf(before, after);
  const segments: Segment[] = [
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ];
  return segments.filter((segment) => segment.text !== '');
}

function marked({ kind, text }: Segment, inColor: boolean): string {
  const [open, close] = MARKS[kind];
  const start = text.length <= LONGEST ? text : text.slice(0, LONGEST).toWellFormed();
  const lines = start.split(/\r\n|\r|\n/).map((line) => isolated(printable(line)));
  // a line break that came or went can be seen only by a sign
  const shown = lines.join(kind === 'kept' ? '\n' : '⏎\n');
  const rest = text.length <= LONGEST ? '' : ` (${number(text.length - LONGEST)} more characters: --json has all)`;
  const whole = `${open}${shown}${close}${rest}`;
  return inColor && COLORS[kind] !== '' ? `${COLORS[kind]}${whole}${PLAIN}` : whole;
}

/** A text that can end nothing but what it began itself. */
function isolated(text: string): string {
  if (!DIRECTED.test(text)) return text;
  let depth = 0;
  const whole = text.replace(ISOLATES, (mark) => {
    if (mark === END_ISOLATE && depth === 0) return '';
    depth += mark === END_ISOLATE ? -1 : 1;
    return mark;
  });
  return `${ISOLATE}${whole}${END_ISOLATE.repeat(depth + 1)}`;
}

/** A line's end ends all isolates: what goes on in the next line begins them anew. */
function isolatedLines(lines: readonly string[]): string[] {
  let open = '';
  return lines.map((line) => {
    const text = open + line;
    open = '';
    for (const [mark] of text.matchAll(ISOLATES)) open = mark === END_ISOLATE ? open.slice(0, -1) : open + mark;
    return text + END_ISOLATE.repeat(open.length);
  });
}
