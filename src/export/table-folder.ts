import { Failure } from '../contract/failure.ts';
import { mkdirp } from '../store/mkdirp.ts';

/**
 * Creates the folder for the files of tables. Returns the folders that it created.
 * @param extension the extension of the files
 * @throws Failure file-system
 */
export function makeFolder(folder: string, extension: string): readonly string[] {
  try {
    return mkdirp(folder);
  } catch (cause) {
    throw new Failure('file-system', `cannot write files into ${folder}`, {
      place: { file: folder },
      expected: `a folder, or the name of a file that ends in .${extension}`,
      found: isOtherFile(cause) ? 'something that is not a folder' : cause instanceof Error ? cause.message : String(cause),
      hint: `name a folder with --to, or a file such as ${folder}.${extension}`,
      cause,
    });
  }
}

function isOtherFile(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && ['EEXIST', 'ENOTDIR'].includes(String(cause.code));
}
