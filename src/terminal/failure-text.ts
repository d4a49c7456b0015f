import { plural } from '../contract/amounts.ts';
import { Failure } from '../contract/failure.ts';
import { encodeJson } from '../contract/json.ts';
import { printable } from './printable.ts';

/** The maximum number of further errors in the text output. */
const PRINTED_ERRORS = 20;

/** Returns a failure as lines: the message with its code, then the place, what was expected and found, and what to do. */
export function failureLines({ code, message, place, expected, found, others, unlisted }: Failure, hint: string | undefined): string[] {
  const details: readonly (readonly [label: string, text: string | undefined])[] = [
    ['where', placeText(place)],
    ['expected', expected],
    ['found', found],
    ['try', hint],
    ...otherErrors(others, unlisted).map((text) => ['also', text] as const),
  ];
  return [
    `${printable(message)} (${code})`,
    ...details.flatMap(([label, text]) => (text ? [`  ${label.padEnd(9)} ${printable(text)}`] : [])),
  ];
}

/** Returns one line for each further error of a run. */
function otherErrors(others: readonly Failure[], unlisted: number): string[] {
  const lines = others.slice(0, PRINTED_ERRORS).map(({ code, place, found }) => `${placeText(place)}: ${found} (${code})`);
  const left = others.length - lines.length + unlisted;
  return left === 0 ? lines : [...lines, plural(left, 'more error')];
}

function placeText({ file, line, byte, field }: Failure['place']): string {
  return [file, line === undefined ? undefined : `line ${line}`, byte === undefined ? undefined : `byte ${byte}`, field]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** Returns the failure that `--json` prints for an error that is not a {@link Failure}. */
export function defect(error: unknown): Failure {
  return new Failure('defect', 'palimpsest has a defect', {
    found: error instanceof Error ? error.message : String(error),
    hint: 'please report it with the lines on standard error',
    cause: error,
  });
}

/** Returns the lines for an error that is not a {@link Failure}. Such an error is a defect of the program. */
export function defectLines(error: unknown): string[] {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [...text.split('\n').map(printable), 'this is a bug in palimpsest: please report it with the lines above'];
}

/** Returns a failure as one line of JSON. @param hint its hint with complete commands */
export function failureJson(failure: Failure, hint: string | undefined): string {
  const { others, unlisted } = failure;
  const more = others.length + unlisted === 0 ? {} : { others: others.map((one) => detailsOf(one, one.hint)), unlisted };
  return encodeJson({ error: { ...detailsOf(failure, hint), ...more } });
}

function detailsOf({ code, message, place, expected, found }: Failure, hint: string | undefined): object {
  return { code, message, ...place, expected, found, hint };
}
