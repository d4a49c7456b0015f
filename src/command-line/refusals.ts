import type { Option } from 'commander';
import { Failure } from '../contract/failure.ts';
import type { Given } from './spec.ts';

/** The values of a variable that switch an option on or off. */
export const ON = /^(1|yes|on|true)$/i;
export const OFF = /^(0|no|off|false)$/i;

/** Whether an option has no value. Commander does not count `--no-html` as one of them. */
export function isSwitch({ required, optional }: Option): boolean {
  return !required && !optional;
}

export interface GivenSwitch {
  readonly option: Option;
  /** The variable that has its value; undefined if it is from the command line. */
  readonly variable?: string | undefined;
}

/**
 * Refuses a switch beside its opposite, because one of them would be dropped, and a variable that says neither yes nor no.
 * @throws Failure usage
 */
export function refuseContradictions(switches: readonly GivenSwitch[], env: NodeJS.ProcessEnv): void {
  const first = new Map<string, string>();
  for (const { option, variable } of switches) {
    const value = variable === undefined ? undefined : env[variable];
    const field = variable ?? option.long ?? '';
    if (value !== undefined && !ON.test(value) && !OFF.test(value)) {
      const expected = '1, true, yes or on; or 0, false, no or off';
      throw new Failure('usage', `${field} says neither yes nor no`, {
        place: { field },
        expected,
        found: value,
        hint: `set ${field} to 1 or 0, or remove the variable`,
      });
    }
    const shown = value === undefined ? field : `${field}=${value}`;
    const other = first.get(option.attributeName());
    if (other !== undefined && other !== shown)
      throw new Failure('usage', `${other} and ${shown} contradict each other`, { place: { field }, hint: 'leave out one of them' });
    first.set(option.attributeName(), shown);
  }
}

/** Options that cannot be used together with something else. */
export interface Refusal {
  readonly options: readonly string[];
  /** What they cannot be used with. */
  readonly found: string;
  readonly expected: string;
  /** Those whose variables are ignored, because they can be for another command of the same job. */
  readonly onlyGiven?: readonly string[];
}

/** @throws Failure usage */
export function refuse({ options, found, expected, onlyGiven = [] }: Refusal, given: Given): void {
  const first = options.find((option) => given.get(option) === 'cli' || (given.has(option) && !onlyGiven.includes(option)));
  if (first === undefined) return;
  throw new Failure('usage', `${first} cannot be used with ${found}`, {
    place: { field: first },
    expected,
    found,
    hint: `leave out ${first}`,
  });
}

/**
 * Refuses an option of object stores if the target is a folder, because a user who forgets `s3://` would publish to a new folder.
 * A variable is not refused: other commands of the same job may need it.
 * @throws Failure usage
 */
export function refuseStoreOptionsOfFolder(address = '', given: Given): void {
  const option = ['--endpoint', '--region'].find((one) => given.get(one) === 'cli');
  if (option === undefined || /^[a-z][a-z\d+.-]+:/i.test(address)) return;
  const looksLikeBucket = /^[a-z\d][a-z\d.-]+(\/[^/]+)*\/?$/.test(address);
  throw new Failure('usage', `${option} cannot be used with a folder`, {
    place: { field: option },
    expected: 's3://bucket/prefix or az://container/prefix',
    found: `the folder ${address}`,
    hint: looksLikeBucket ? `did you mean s3://${address}? For a folder, leave out ${option}` : `for a folder, leave out ${option}`,
  });
}
