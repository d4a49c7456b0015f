import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** The folder for temporary files that outlive a restart of the machine: it is on a disk, while other ones may be in memory. */
export const ON_DISK = '/var/tmp';

/** Creates a new folder that is removed at the end of the test. */
export function temporaryFolder(within: string = tmpdir()): string {
  const folder = mkdtempSync(join(within, 'palimpsest-test-'));
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/**
 * Removes a folder with its files. A process that a test has ended may write a last file while they are removed: a shell saves its
 * history when its terminal closes. The option `maxRetries` of Node.js tries again without that file.
 */
export async function removeFolder(folder: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rm(folder, { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || tries === 100) throw error;
    }
    await setTimeout(50);
  }
}

/** Returns the bytes of every file below a folder, by relative path with slashes. */
export function filesIn(folder: string): Map<string, Buffer> {
  return new Map(pathsIn(folder).map((path) => [path, readFileSync(join(folder, path))]));
}

/**
 * Returns the relative paths of the regular files below a folder, with slashes. Links are left out and not followed. The
 * `recursive` option of Node.js follows them in some releases.
 */
export function pathsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return pathsIn(join(folder, entry.name)).map((path) => `${entry.name}/${path}`);
    return entry.isFile() ? [entry.name] : [];
  });
}

/** Returns the values in the lines of an NDJSON file. */
export function valuesIn(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
