import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';

export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [statusOf(one), statusOf(other)];
  return resolve(one) === resolve(other) || (a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev);
}

/** Returns undefined if the path does not exist or cannot be read. */
export function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
