import { existsSync, statSync } from 'node:fs';
import { Failure } from '../contract/failure.ts';
import { refuseOtherContent } from '../contract/files/refuse-output.ts';
import { mkdirp } from '../store/mkdirp.ts';

/** The files of an export as CSV or Parquet. */
const TABLE = /^(records|accounts|exclusions)\.(csv|parquet)$/;

/**
 * Creates the folder for the files of tables. Returns the folders that it created.
 * @param extension the extension of the files
 * @throws Failure not-ours if the folder contains anything other than tables, file-system
 */
export function makeFolder(folder: string, extension: string): readonly string[] {
  refuseOtherFiles(folder, extension);
  try {
    return mkdirp(folder);
  } catch (cause) {
    throw noFolder(folder, extension, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** @throws Failure not-ours if the folder contains anything other than tables, file-system if the path is that of no folder */
export function refuseOtherFiles(folder: string, extension: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw noFolder(folder, extension, 'something that is not a folder');
  refuseOtherContent(folder, (names) => names.find((name) => !TABLE.test(name)));
}

function noFolder(folder: string, extension: string, found: string, cause?: unknown): Failure {
  return new Failure('file-system', `cannot write files into ${folder}`, {
    place: { file: folder },
    expected: `a folder, or the name of a file that ends in .${extension}`,
    found,
    hint: `name a folder with --to, or a file such as ${folder}.${extension}`,
    cause,
  });
}
