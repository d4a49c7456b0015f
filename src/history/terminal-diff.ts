import wrapAnsi from 'wrap-ansi';
import { number } from '../contract/amounts.ts';
import { PROFILE_FIELDS } from '../contract/profile-fields.ts';
import type { DataType } from '../contract/record.ts';
import { type Segment, segmentsOf } from '../diff/segments.ts';
import { escapeControls } from '../terminal/printable.ts';

const COLORS = { kept: '', removed: '\u001b[31m', added: '\u001b[32m' } as const;
const PLAIN = '\u001b[39m';
const MARKS = { kept: ['', ''], removed: ['[-', '-]'], added: ['{+', '+}'] } as const;

/** How much of a text is shown, in UTF-16 units: the time to wrap it grows with the square of its length. */
const MAX_SHOWN = 10_000;

/** Letters of right-to-left scripts, and control characters that change the direction of text. */
const DIRECTED = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\u200f\u202a-\u202e\u2066-\u2069]/u;
/** Isolates keep the direction of a text from moving the characters around it. */
const [ISOLATE, END_ISOLATE] = ['\u2068', '\u2069'];
const ISOLATES = /[\u2066-\u2069]/g;

/**
 * Formats a change as lines for a terminal. Removed text is `[-old-]`, added text is `{+new+}`, optionally in
 * color.
 * @param before undefined if there is nothing to compare with
 * @param columns the width at which lines are wrapped
 */
export function terminalDiff(
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

/** Names and bios are compared by letters; other fields are compared as a whole. */
function segmentsFor(type: DataType, before: string, after: string): Segment[] {
  if (PROFILE_FIELDS[type].difference === 'text') return segmentsOf(before, after);
  const segments: Segment[] = [
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ];
  return segments.filter((segment) => segment.text !== '');
}

function marked({ kind, text }: Segment, inColor: boolean): string {
  const [open, close] = MARKS[kind];
  const start = text.length <= MAX_SHOWN ? text : text.slice(0, MAX_SHOWN).toWellFormed();
  const lines = start.split(/\r\n|\r|\n/).map((line) => isolated(escapeControls(line)));
  // an added or removed line break needs a visible sign
  const shown = lines.join(kind === 'kept' ? '\n' : '⏎\n');
  const rest = text.length <= MAX_SHOWN ? '' : ` (${number(text.length - MAX_SHOWN)} more characters; --json prints them all)`;
  const whole = `${open}${shown}${close}${rest}`;
  return inColor && COLORS[kind] !== '' ? `${COLORS[kind]}${whole}${PLAIN}` : whole;
}

/** Isolates the direction of a text. It cannot close an isolate that it did not open. */
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

/** Repeats open isolates in the next line, because the end of a line closes them. */
function isolatedLines(lines: readonly string[]): string[] {
  let open = '';
  return lines.map((line) => {
    const text = open + line;
    open = '';
    for (const [mark] of text.matchAll(ISOLATES)) open = mark === END_ISOLATE ? open.slice(0, -1) : open + mark;
    return text + END_ISOLATE.repeat(open.length);
  });
}
