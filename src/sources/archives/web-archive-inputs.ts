import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileHead } from '../../contract/files/file-bytes.ts';
import { type IncompleteMirror, reportsIn } from '../../contract/files/incomplete-mirror.ts';
import { isObject } from '../../contract/json.ts';
import { HEAD_BYTES, startsAsWarc } from '../../warc/detect-warc.ts';
import type { Input, InputError } from '../source.ts';
import { isZipOfTree } from '../unpack/detect-format.ts';
import type { ArchiveReport } from './capture-selection.ts';

export interface OpenArchives {
  /** The inputs, with the pages of those that are web archives. */
  readonly inputs: readonly Input[];
  readonly reports: readonly ArchiveReport[];
  /** The reports in the archives. */
  readonly incomplete: readonly IncompleteMirror[];
  /** The base URL of the pages, if all inputs are trees and archives with one base URL. */
  readonly baseUrl: string | undefined;
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
  const trees = new Map<string | undefined, string | undefined>();
  for (const tree of new Set(inputs.map((input) => input.tree))) {
    const build = tree === undefined ? '' : buildOfFolder(tree);
    incomplete.push(...reportsIn(build));
    trees.set(tree, baseUrlIn(build));
  }
  const baseUrls = new Set<string | undefined>();
  const closers: (() => void)[] = [];
  const close = () => {
    for (const one of closers) one();
  };
  try {
    for (const input of inputs) {
      const kind = input.path === undefined || input.size === undefined ? undefined : kindOf(input.path);
      // most imports have no archive, so its code is not loaded with the command
      const isArchive = kind === 'warc' || kind === 'zip';
      const archive = isArchive ? await (await import('./open-web-archive.ts')).openArchive(input, kind, onReject) : undefined;
      opened.push(archive?.input ?? input);
      const build = kind === 'tree' ? await buildOfZip(input.path ?? '') : '';
      incomplete.push(...reportsIn(build));
      baseUrls.add(archive?.baseUrl ?? baseUrlIn(build) ?? trees.get(input.tree));
      if (archive === undefined) continue;
      closers.push(archive.close);
      reports.push(archive.report);
      incomplete.push(...archive.incomplete);
    }
    return { inputs: opened, reports, incomplete, baseUrl: baseUrls.size === 1 ? [...baseUrls][0] : undefined, close };
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

const BUILD_RECORD = 'build.json';
/** The largest build.json that is read, in bytes. */
const MAX_BYTES = 1 << 24;

function baseUrlIn(build: string): string | undefined {
  try {
    const value: unknown = JSON.parse(build);
    return isObject(value) && typeof value['base_url'] === 'string' ? value['base_url'] : undefined;
  } catch {
    return undefined;
  }
}

function buildOfFolder(folder: string): string {
  try {
    return readFileSync(join(folder, BUILD_RECORD), 'utf8');
  } catch {
    // a tree that cannot be read fails when its pages are read
    return '';
  }
}

async function buildOfZip(path: string): Promise<string> {
  const { openZipFile } = await import('../unpack/zip-members.ts');
  const zip = await openZipFile(path).catch(() => undefined);
  if (zip === undefined) return '';
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== BUILD_RECORD || entry.uncompressedSize > MAX_BYTES) continue;
      const pieces: Uint8Array[] = [];
      for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece);
      return Buffer.concat(pieces).toString();
    }
    return '';
  } catch {
    // a damaged ZIP fails when its pages are read
    return '';
  } finally {
    zip.close();
  }
}
