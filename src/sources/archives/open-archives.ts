import type { IncompleteMirror } from '../../contract/files/incomplete-mirror.ts';
import { HEAD_BYTES, startsAsWarc } from '../../warc/detect-warc.ts';
import type { Input, InputError } from '../source.ts';
import { fileHead } from '../unpack/head.ts';
import { isZipOfTree } from '../unpack/signatures.ts';
import type { ArchiveReport } from './capture-selection.ts';

export interface OpenArchives {
  /** The inputs, with the pages of those that are web archives. */
  readonly inputs: readonly Input[];
  readonly reports: readonly ArchiveReport[];
  /** The reports in the archives. */
  readonly incomplete: readonly IncompleteMirror[];
  readonly close: () => void;
}

/**
 * Opens the web archives (WARC and WACZ) among the inputs, checks all their bytes and chooses the pages to import. Also
 * checks the bags that inputs are in.
 * @param onReject called for each damaged part of a WARC or WACZ, so that its other pages are imported; without it, damage
 *   is an error
 * @throws Failure bad-archive if an archive is damaged, no-source if it has no page
 */
export async function openArchives(inputs: readonly Input[], onReject?: (inputError: InputError) => void): Promise<OpenArchives> {
  for (const bag of new Set(inputs.map((input) => input.bag))) if (bag !== undefined) await (await import('./check-bag.ts')).checkBag(bag);
  const opened: Input[] = [];
  const reports: ArchiveReport[] = [];
  const incomplete: IncompleteMirror[] = [];
  for (const tree of new Set(inputs.map((input) => input.tree))) {
    if (tree !== undefined) incomplete.push(...(await import('./tree-reports.ts')).reportsOfFolder(tree));
  }
  const closers: (() => void)[] = [];
  const close = () => {
    for (const one of closers) one();
  };
  try {
    for (const input of inputs) {
      const kind = input.path === undefined || input.size === undefined ? undefined : kindOf(input.path);
      // most imports have no archive, so its code is not loaded with the command
      const isArchive = kind === 'warc' || kind === 'zip';
      const archive = isArchive ? await (await import('./open-archive.ts')).openArchive(input, kind, onReject) : undefined;
      opened.push(archive?.input ?? input);
      if (kind === 'tree') incomplete.push(...(await (await import('./tree-reports.ts')).reportsOfZip(input.path ?? '')));
      if (archive === undefined) continue;
      closers.push(archive.close);
      reports.push(archive.report);
      incomplete.push(...archive.incomplete);
    }
    return { inputs: opened, reports, incomplete, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Returns the kind of a web archive, or of a tree in a ZIP. Detects it by the first bytes, or by the name if these bytes are damaged. */
function kindOf(path: string): 'warc' | 'zip' | 'tree' | undefined {
  const head = fileHead(path, HEAD_BYTES);
  if (isZipOfTree(head)) return 'tree';
  if (head.subarray(0, 4).toString('latin1') === 'PK\x03\x04' || /\.wacz$/i.test(path)) return 'zip';
  return startsAsWarc(head) || /\.warc(\.gz)?$/i.test(path) ? 'warc' : undefined;
}
