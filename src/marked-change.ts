import wrapAnsi from 'wrap-ansi';
import type { DataType } from './contract/record.ts';
import { type Segment, segmentsOf } from './diff/diff-html.ts';
import { printable } from './terminal.ts';

const COLORS = { kept: '', removed: '\u001b[31m', added: '\u001b[32m' } as const;
const PLAIN = '\u001b[39m';
const MARKS = { kept: ['', ''], removed: ['[-', '-]'], added: ['{+', '+}'] } as const;

/** Letters and marks that are written from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\u200f\u202b\u202e\u2067]/u;
/** They keep a text's direction from moving what stands around it. */
const [ISOLATE, END_ISOLATE] = ['\u2068', '\u2069'];

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
  return wrapAnsi(text, columns, { hard: true, trim: false }).split('\n');
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
  const lines = text.split(/\r\n|\r|\n/).map((line) => isolated(printable(line)));
  // a line break that came or went can be seen only by a sign
  const shown = lines.join(kind === 'kept' ? '\n' : '⏎\n');
  const whole = `${open}${shown}${close}`;
  return inColor && COLORS[kind] !== '' ? `${COLORS[kind]}${whole}${PLAIN}` : whole;
}

function isolated(line: string): string {
  return RIGHT_TO_LEFT.test(line) ? `${ISOLATE}${line}${END_ISOLATE}` : line;
}
