import type { ChildProcess } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { type Finished, palimpsest, type RunOptions } from '../support/palimpsest.ts';

/** When to kill: some time after the start, or after something has shown on the disk. */
export interface Moment {
  readonly sign?: () => boolean;
  /** Milliseconds, from the sign or from the start. */
  readonly delay: number;
}

/** Runs the program and kills it with SIGKILL at a moment, unless it has ended by then. */
export function runAndKill(args: readonly string[], moment: Moment, options: RunOptions = {}): Promise<Finished> {
  return palimpsest(args, { ...options, onStart: (child) => void kill(child, moment) });
}

async function kill(child: ChildProcess, { sign, delay }: Moment): Promise<void> {
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  while (sign !== undefined && isRunning() && !sign()) await setImmediate();
  if (delay > 0) await setTimeout(delay);
  if (isRunning()) child.kill('SIGKILL');
}

/** Waits until something has shown on the disk. */
export async function until(sign: () => boolean, patience = 30_000): Promise<void> {
  for (const started = performance.now(); !sign(); await setTimeout(2)) {
    if (performance.now() - started > patience) throw new Error(`waited ${patience} ms in vain for ${sign.toString()}`);
  }
}

/** A file's size in bytes; 0 where there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Whether a tree is being exchanged, as far as one can see from outside while that goes on. */
export function isUnfinished(out: string): boolean {
  try {
    return readFileSync(`${out}/build.json`, 'utf8').includes('"unfinished"');
  } catch {
    return false;
  }
}
