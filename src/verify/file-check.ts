import { digestIn, MANIFEST } from '../tree/manifest.ts';
import { type TreeFiles, UnreadableFile } from '../tree/tree-files.ts';
import type { Report } from './violation.ts';

/** Compares a file with the SHA-256 that the manifest lists. */
export function checkFile(files: TreeFiles, path: string, expected: string, report: Report): void {
  const found = digestIn(files, path);
  if (found === undefined) reportUnreadable(files, path, expected, report);
  else if (found !== expected) {
    const cause = report.isCause(MANIFEST) ? MANIFEST : undefined;
    report.add({ rule: 'file-digest', path, expected: `SHA-256 ${expected}`, found, cause });
  }
}

/**
 * Reports a file that cannot be read. A damaged file of a ZIP exists, but not with its bytes.
 * @param expected its SHA-256
 */
export function reportUnreadable(files: TreeFiles, path: string, expected: string | undefined, report: Report): void {
  let error: unknown = 'no readable file';
  try {
    files.read(path);
  } catch (cause) {
    error = cause;
  }
  const found = error instanceof Error ? error.message : String(error);
  if (error instanceof UnreadableFile && error.reason === 'damaged') {
    report.add({ rule: path === MANIFEST ? 'manifest-digest' : 'file-digest', path, expected: `SHA-256 ${expected}`, found });
  } else report.add({ rule: 'file-missing', path, expected: 'a file', found });
}

/** Reports a file that the tree should not have. */
export function reportUnexpected(path: string, report: Report): void {
  report.add({ rule: 'unexpected-file', path, expected: 'no file at this path', found: 'a file' });
}
