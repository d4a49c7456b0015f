import type { Failure } from '../contract/failure.ts';
import { encodeJson } from '../contract/json.ts';
import { printable } from './printable.ts';

/** Returns a failure as lines: the message with its code, then the place, what was expected and found, and what to do. */
export function failureLines({ code, message, place, expected, found }: Failure, hint: string | undefined): string[] {
  const where = [place.file, place.line === undefined ? undefined : `line ${place.line}`, place.field].filter((part) => part !== undefined);
  const details: readonly (readonly [label: string, text: string | undefined])[] = [
    ['where', where.join(', ')],
    ['expected', expected],
    ['found', found],
    ['try', hint],
  ];
  return [
    `${printable(message)} (${code})`,
    ...details.flatMap(([label, text]) => (text ? [`  ${label.padEnd(9)} ${printable(text)}`] : [])),
  ];
}

/** Returns the lines for an error that is not a {@link Failure}. Such an error is a defect of the program. */
export function defectLines(error: unknown): string[] {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [...text.split('\n').map(printable), 'this is a bug in palimpsest: please report it with the lines above'];
}

/** Returns a failure as one line of JSON. @param hint its hint with complete commands */
export function failureJson({ code, message, place, expected, found }: Failure, hint: string | undefined): string {
  return encodeJson({ error: { code, message, ...place, expected, found, hint } });
}
