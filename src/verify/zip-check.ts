import type { Pauses } from '../contract/event-loop-pauses.ts';
import { isOwnZip } from '../tree/build/claim-output.ts';
import { BUILD_RECORD } from '../tree/build-record.ts';
import { noTree } from '../tree/existing-tree.ts';
import { digestOf, MANIFEST, manifestLines } from '../tree/manifest/manifest.ts';
import { openTreeFiles, type TreeFiles, UnreadableFile } from '../tree/tree-files.ts';
import { ZipDamage } from '../zip/member.ts';
import { INDEX } from '../zip/zip-index.ts';
import { zipProblems } from '../zip/zip-problems.ts';
import type { Report } from './violation.ts';

/**
 * Opens the files of a tree to check it. Reports a ZIP that is damaged at its end.
 * @returns undefined if it cannot be opened
 * @throws Failure no-tree if there is no folder and no ZIP
 */
export function openToCheck(out: string, report: Report): TreeFiles | undefined {
  try {
    return openTreeFiles(out);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    if (error.reason !== 'damaged' || !isOwnZip(out)) throw noTree(out, error);
    report.add({ rule: 'zip-index', path: INDEX, expected: 'the end of a ZIP with an index', found: error.message });
    return undefined;
  }
}

/**
 * Compares the index of a ZIP with its central directory and with the manifest. Does nothing in a folder. Call it after the files
 * were compared with the manifest: the row of a file that differs from the manifest is not reported again.
 * @param onProgress called with the number of members that were compared, and the number of all
 */
export async function checkZip(
  files: TreeFiles,
  report: Report,
  pauses: Pauses,
  onProgress: (done: number, all: number) => void,
): Promise<void> {
  const { zip } = files;
  if (zip === undefined) return;
  let done = 0;
  const checkContent = (path: string, digest: string | undefined) => {
    if (digest === undefined || report.isDamaged(path)) return;
    const [expected, found] = [digest.slice(0, 16), zip.find(path)?.content];
    if (found === undefined || found === expected) return;
    report.add({ rule: 'zip-index', path, expected: `the SHA-256 ${expected}… in its row`, found });
  };
  try {
    for (const problem of zipProblems(zip)) {
      if (problem !== undefined) report.add({ rule: 'zip-index', ...problem });
      done += 1;
      if (pauses.areDue) await pauses.take(() => onProgress(done, zip.members));
    }
    for (const path of [MANIFEST, BUILD_RECORD]) checkContent(path, digestOf(files.pieces(path)));
    if (report.isCause(MANIFEST)) return;
    for (const line of manifestLines(files.pieces(MANIFEST))) if (line !== undefined) checkContent(line.path, line.digest);
  } catch (error) {
    if (!(error instanceof ZipDamage)) throw error;
    report.add({ rule: 'zip-index', path: INDEX, expected: 'an index and a central directory', found: error.message });
  }
}
