import { existsSync, readFileSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import { type Finished, palimpsest } from '../support/palimpsest.ts';
import { until } from '../support/until.ts';
import { chance } from './chance.ts';

/** The kinds of steps of a command: it sends a file to a target or deletes one there, it renames or otherwise changes a file, or SQLite executes a text such as COMMIT, or runs a prepared statement. */
const KINDS = ['send', 'exec', 'rename', 'file', 'run'] as const;
type Kind = (typeof KINDS)[number];

const SEED = 20240229;

const preload = (env: Readonly<Record<string, string>>) => ({
  env: { NODE_OPTIONS: `--import=${new URL('./steps.js', import.meta.url).href}`, ...env },
});

/**
 * Kills a command at steps of all kinds, which are spread over its work.
 * @param folder for a temporary file
 * @param kills how many times the command is killed
 * @param reset makes the state before the command
 * @param check checks what a killed command left, and that the next run completes it
 */
export async function killAtSteps(
  folder: string,
  args: readonly string[],
  kills: number,
  reset: () => void,
  check: (step: string) => Promise<void>,
): Promise<void> {
  const count = `${folder}/steps`;
  reset();
  expect(await palimpsest(args, preload({ STEPS_COUNT: count }))).toMatchObject({ code: 0 });
  const counts: Readonly<Record<Kind, number>> = JSON.parse(readFileSync(count, 'utf8'));
  rmSync(count);
  const random = chance(SEED);
  const kinds = KINDS.filter((kind) => counts[kind] > 0);
  for (let kill = 0; kill < kills; kill += 1) {
    const kind = kinds[kill % kinds.length] ?? 'file';
    const step = 1 + Math.floor(random() * counts[kind]);
    reset();
    const { signal } = await palimpsest(args, preload({ STEPS_KIND: kind, STEPS_AT: String(step) }));
    const name = `killed at ${kind} ${step} of ${counts[kind]}`;
    expect(signal, name).toBe('SIGKILL');
    await check(name);
  }
}

/** Runs a command whose threads, other than the main one, wait for a file before they begin. */
export function withThreadsAt(gate: string, args: readonly string[]): Promise<Finished> {
  return palimpsest(args, preload({ STEPS_THREADS_GATE: gate }));
}

/** A command that waits at a step of its work. */
export interface Paused {
  /** Lets the command go on, and returns its result. */
  readonly resume: () => Promise<Finished>;
  /** Kills the command. */
  readonly kill: () => Promise<Finished>;
}

/** Starts a command that waits at a step of its work. Resolves when it waits. */
export async function pauseAtStep(gate: string, kind: Kind, step: number, args: readonly string[]): Promise<Paused> {
  let kill = () => {};
  let hasEnded = false;
  const ended = palimpsest(args, {
    ...preload({ STEPS_KIND: kind, STEPS_AT: String(step), STEPS_GATE: gate }),
    onStart: (child) => {
      kill = () => void child.kill('SIGKILL');
    },
  }).finally(() => {
    hasEnded = true;
  });
  await until(() => existsSync(gate) || hasEnded);
  expect(hasEnded, 'the command has ended before the step').toBe(false);
  const endAfter = (work: () => void) => () => {
    work();
    return ended;
  };
  return { resume: endAfter(() => rmSync(gate)), kill: endAfter(() => kill()) };
}
