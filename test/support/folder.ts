import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a new folder that is removed at the end of the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
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
