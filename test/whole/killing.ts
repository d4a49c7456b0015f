import type { ChildProcess } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { type Finished, palimpsest, type RunOptions } from '../support/palimpsest.ts';

/** The moment of a kill: some time after the start, or after a sign on the disk. */
interface Moment {
  readonly sign?: () => boolean;
  /** Milliseconds after the sign, or after the start if there is no sign. */
  readonly delay: number;
}

/** Runs the program and kills it with SIGKILL at a moment, unless it has already ended. */
export function runAndKill(args: readonly string[], moment: Moment, options: RunOptions = {}): Promise<Finished> {
  return palimpsest(args, { ...options, onStart: (child) => void kill(child, moment) });
}

async function kill(child: ChildProcess, { sign, delay }: Moment): Promise<void> {
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  // a busy loop would take one of two cores from the program
  while (sign !== undefined && isRunning() && !sign()) await setTimeout(1);
  if (delay > 0) await setTimeout(delay);
  if (isRunning()) child.kill('SIGKILL');
}
