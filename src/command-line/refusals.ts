import { Failure } from '../contract/failure.ts';
import type { Given } from './spec.ts';

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
