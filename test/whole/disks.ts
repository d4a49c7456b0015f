import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { TestContext } from 'vitest';

/** A disk of its own size, for one test. */
export interface Disk {
  readonly folder: string;
  /** Changes how it is mounted: `ro`, `size=10m`. */
  readonly remount: (options: string) => void;
}

/**
 * Mounts a disk in memory, gone when the test has ended. Skips the test where that is not allowed: on Linux
 * only root may.
 */
export function mountDisk(context: TestContext, folder: string, options: string): Disk {
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    context.skip(`cannot mount a disk here: ${error instanceof Error ? error.message : String(error)}`);
  }
  context.onTestFinished(() => {
    execFileSync('umount', [folder]);
  });
  return { folder, remount: (other) => execFileSync('mount', ['-o', `remount,${other}`, folder], { stdio: 'pipe' }) };
}
