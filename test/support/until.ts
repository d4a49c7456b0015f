import { setTimeout } from 'node:timers/promises';

/** Waits for a sign on the disk. The time limit of the test ends it, if it never comes. */
export async function until(sign: () => boolean): Promise<void> {
  while (!sign()) await setTimeout(2);
}
