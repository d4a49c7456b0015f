import { number, plural } from '../contract/amounts.ts';
import { cut } from '../contract/json.ts';
import type { Line } from '../terminal/terminal.ts';
import type { VerifySummary } from '../verify/verify.ts';
import { type Cause, NOTES, type ReportedViolation, RULES, type Rule } from '../verify/violation.ts';

/** The maximum number of causes in the text output; --json has more. */
const PRINTED = 20;

/**
 * Returns the violations of a verification as text, grouped by the file that explains them. A group has one line for each
 * rule, with the first violation of that rule.
 */
export function violationLines({ violations, violationCount, causes }: VerifySummary): Line[] {
  const printed = causes.slice(0, PRINTED);
  const firsts = firstsOf(violations);
  const rest = violationCount - printed.reduce((sum, cause) => sum + cause.violationCount, 0);
  return [
    ...printed.flatMap((cause) => groupLines(cause, firsts.get(cause.path) ?? [])),
    rest > 0 && `and ${plural(rest, 'more violation')} (--json lists the first ${number(violations.length)} of all)`,
  ];
}

/** Returns the first violation of each rule, by cause. */
function firstsOf(violations: readonly ReportedViolation[]): ReadonlyMap<string, readonly ReportedViolation[]> {
  const firsts = new Map<string, Map<Rule, ReportedViolation>>();
  for (const violation of violations) {
    const ofCause = firsts.get(violation.cause) ?? new Map<Rule, ReportedViolation>();
    firsts.set(violation.cause, ofCause);
    if (!ofCause.has(violation.rule)) ofCause.set(violation.rule, violation);
  }
  return new Map([...firsts].map(([cause, ofCause]) => [cause, [...ofCause.values()]]));
}

function groupLines(cause: Cause, firsts: readonly ReportedViolation[]): string[] {
  const head = `${cause.path}: ${plural(cause.violationCount, 'violation')}`;
  return [head, ...firsts.map((violation) => `  ${line(violation, cause)}`)];
}

function line({ rule, path, subject, expected, found }: ReportedViolation, cause: Cause): string {
  const count = cause.rules[rule] ?? 1;
  const where = [path === cause.path ? undefined : path, subject].filter((part) => part !== undefined).join(', ');
  const times = count === 1 ? '' : ` ${number(count)} times, first`;
  return `${rule}:${times}${where === '' ? '' : ` ${where}:`} expected ${cut(expected)}, found ${cut(found)}`;
}

/** Returns a line for each rule whose breaks are notes. */
export function noteLines({ notesByRule }: VerifySummary): Line[] {
  return [...NOTES].map((rule) => {
    const count = notesByRule[rule] ?? 0;
    return count > 0 && `note: ${plural(count, 'item')} ${count === 1 ? 'breaks' : 'break'} ${rule}: ${meaning(rule)}`;
  });
}

function meaning(rule: Rule): string {
  return RULES[rule].replace(' (note)', '');
}

/** Returns the number of violations and of the files that explain them. */
export function verdict({ violationCount, causes }: VerifySummary): string {
  if (violationCount === 0) return 'no violations';
  return `${plural(violationCount, 'violation')}, caused by ${plural(causes.length, 'file')}`;
}
