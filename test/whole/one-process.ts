import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { exitCodeOf, FAILURES } from '../../src/contract/failure-codes.ts';
import { PROGRAM, palimpsest, type RunOptions } from '../support/palimpsest.ts';

const RUNNER = fileURLToPath(new URL('./one-process.js', import.meta.url));

export interface Outcome {
  readonly code: number;
  /** The error; undefined if there is none. */
  readonly error: { readonly code: string } | undefined;
  readonly stdout: string;
}

/**
 * Runs command lines with --json, one after the other, in one process: that of another user, or one that a special file may block.
 * Checks that each error is one of the documented ones, with its exit code and without a stack trace.
 */
export async function outcomesOf(lines: readonly (readonly string[])[], options: RunOptions = {}): Promise<Outcome[]> {
  const input = JSON.stringify(lines.map((args) => [...args, '--json']));
  const { stdout, stderr } = await palimpsest([PROGRAM], { ...options, program: RUNNER, input });
  expect(stderr).toBe('');
  const found: { readonly code: number; readonly stdout: string; readonly stderr: string }[] = JSON.parse(stdout);
  return found.map(({ code, stdout: text, stderr: errors }, index) => {
    const shown = `${lines[index]?.join(' ').slice(0, 200)}: ${errors}${text}`.slice(0, 2000);
    expect(errors, shown).not.toMatch(/^ {4}at |bug in palimpsest|UnhandledPromise/m);
    const error = text.startsWith('{"error":') ? JSON.parse(text).error : undefined;
    if (error === undefined) return { code, error, stdout: text };
    expect(Object.keys(FAILURES), shown).toContain(error.code);
    expect(code, shown).toBe(exitCodeOf(error.code));
    expect(error.message, shown).not.toBe('');
    return { code, error, stdout: text };
  });
}
