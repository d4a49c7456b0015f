import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { TestContext } from 'vitest';

/** A disk of limited size, for one test. */
export interface Disk {
  readonly folder: string;
  /** Changes the mount options, such as `ro` or `size=10m`. */
  readonly remount: (options: string) => void;
}

/**
 * Mounts a disk in memory. It is unmounted after the test. Skips the test if mounting is not allowed: on Linux, only
 * root can mount.
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
