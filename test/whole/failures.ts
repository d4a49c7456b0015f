import { expect } from 'vitest';
import { palimpsestHere, type RunOptions } from '../support/palimpsest.ts';

/** Runs a command that must fail. Checks the error on standard error and returns the JSON error. */
export async function failureOf(args: readonly string[], options: RunOptions = {}): Promise<{ code: number | null; error: unknown }> {
  const { code, stdout, stderr } = await palimpsestHere([...args, '--json'], options);
  expect(stderr, 'no stack trace').not.toContain('    at ');
  expect(stderr).not.toContain('bug in palimpsest');
  expect(stdout, `exit code ${code}, and no error on standard output: ${stderr}`).toContain('{"error":');
  const { error } = JSON.parse(stdout);
  expect(stderr.startsWith(`error: ${error.message} (${error.code})\n`)).toBe(true);
  return { code, error };
}
