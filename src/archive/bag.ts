import { createHash, hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { outputFile, removeSync } from 'fs-extra/esm';
import { codeOf, Failure, fileSystemFailure } from '../contract/failure.ts';
import { draftOf, hasOtherWriter } from '../contract/files/draft-file.ts';
import { lackSentence } from '../contract/files/incomplete-mirror.ts';
import { refuseOtherContent } from '../contract/files/refuse-output.ts';
import { writeFiles } from '../contract/files/write-files.ts';
import { inOrder } from '../threads/thread-pool.ts';
import { listedFiles } from '../tree/layout.ts';
import type { ManifestLine } from '../tree/manifest/lines.ts';
import { readRegularFile } from '../tree/regular-file.ts';
import { filesOf, readMetadata, readSortKeysFile, readVerified, type VerifiedTree } from '../tree/verified-tree.ts';
import { VERSION } from '../version.ts';
import { IDENTITIES } from '../warc/account-identities.ts';
import { bagInfoFields } from './publisher-fields.ts';
import type { ArchiveOptions } from './warc.ts';

export interface BagOptions extends ArchiveOptions {
  /** Whether only to check that the bag can be written to the folder. */
  readonly dryRun?: boolean;
  /** More lines for bag-info.txt. They replace those with the same labels of the site. */
  readonly bagInfo?: readonly { readonly label: string; readonly value: string }[] | undefined;
}

/** Files that are copied at the same time. */
const WIDTH = 8;

/** A file of the payload. */
interface Payload extends ManifestLine {
  readonly bytes: number;
}

const INFO = 'bag-info.txt';
const PAYLOAD_MANIFEST = 'manifest-sha256.txt';
/** How the file begins in a bag that palimpsest wrote. */
const AGENT = 'Bag-Software-Agent: palimpsest';

/**
 * The files and folders of a bag, in the order in which they are moved. A folder without bagit.txt is not a bag, so an interrupted move
 * leaves none. With bag-info.txt, the next run may replace what it left.
 */
const ENTRIES = [INFO, 'data', IDENTITIES.file, PAYLOAD_MANIFEST, 'tagmanifest-sha256.txt', 'bagit.txt'];

/**
 * Writes a tree as a bag (BagIt 1.0): the tree is the folder `data`, and the manifest of the bag has the SHA-256 values of
 * the tree's own manifest. Each file is compared with it.
 * @throws Failure tree-edited, not-ours if the folder contains anything other than an earlier bag, tree-busy, file-system
 */
export async function writeBag(tree: VerifiedTree, to: string, options: BagOptions = {}): Promise<void> {
  const folder = resolve(to);
  const isNew = !existsSync(folder);
  // an interrupted run can have left its draft in either place
  const draft = draftOf(isNew ? folder : join(folder, 'bag'));
  refuseOtherContent(to, (names) => otherThanBag(folder, names));
  if (options.dryRun) return;
  const earlier = ENTRIES.filter((entry) => existsSync(join(folder, entry)));
  // an existing folder is filled and not replaced, because it may be a mount point or the working directory
  try {
    mkdirSync(draft);
    if (hasOtherWriter(draft)) throw busy(to);
    await fill(tree, draft, options);
    if (isNew) renameSync(draft, folder);
    else moveEntries(draft, folder, earlier);
  } catch (error) {
    if (!isTaken(draft, error)) removeSync(draft);
    throw unwritable(to, draft, error);
  }
}

/** Moves a bag from its draft to a folder, in place of an earlier bag. If that fails, the folder is as before. */
function moveEntries(draft: string, folder: string, earlier: readonly string[]): void {
  const replaced = join(draft, 'replaced');
  const moves: { readonly from: string; readonly to: string }[] = [];
  const move = (from: string, to: string) => {
    if (!existsSync(from)) return;
    renameSync(from, to);
    moves.push({ from, to });
  };
  try {
    mkdirSync(replaced);
    for (const entry of earlier.toReversed()) move(join(folder, entry), join(replaced, entry));
    for (const entry of ENTRIES) move(join(draft, entry), join(folder, entry));
  } catch (error) {
    for (const { from, to } of moves.toReversed()) renameSync(to, from);
    throw error;
  }
  removeSync(draft);
}

/** Whether another program already had that folder. */
function isTaken(draft: string, error: unknown): boolean {
  return error instanceof Error && codeOf(error) === 'EEXIST' && 'path' in error && error.path === draft;
}

function busy(folder: string): Failure {
  return new Failure('tree-busy', `another run is writing a bag to ${folder}`, {
    place: { file: folder },
    hint: 'wait until it has finished, or name another folder with --to; nothing was changed',
  });
}

/** Converts an error of a write to a Failure. Returns any other error unchanged, such as an error of a read of the tree. */
function unwritable(folder: string, draft: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  if ('path' in error && typeof error.path === 'string' && !error.path.startsWith(draft)) return error;
  const expected = 'a folder that can be written, on a disk with free space';
  const hint = 'name another folder with --to, or check the permissions and free space of its folder';
  return fileSystemFailure(error, folder, { expected, hint });
}

async function fill(tree: VerifiedTree, bag: string, { onProgress, bagInfo = [], identities }: BagOptions): Promise<void> {
  const { build } = tree;
  let [files, bytes] = [0, 0];
  const all = listedFiles(tree.digests, build);
  const lineOf = (payload: Payload): string => {
    files += 1;
    bytes += payload.bytes;
    onProgress?.(files, all, bytes);
    return `${payload.digest}  data/${payload.path}\n`;
  };
  async function* manifest(): AsyncGenerator<string> {
    const copyFile = async (file: ManifestLine) => copy(bag, file.path, readVerified(tree, file), file.digest);
    for await (const payload of inOrder(filesOf(tree), WIDTH, copyFile)) yield lineOf(payload);
    for (const { path, bytes: content } of [readSortKeysFile(tree), ...readMetadata(tree).toReversed()])
      yield lineOf(await copy(bag, path, content));
  }
  await writeFiles([{ path: join(bag, PAYLOAD_MANIFEST), content: manifest() }]);
  const given = new Set(bagInfo.map(({ label }) => label.toLowerCase()));
  const ofSite = build.about === undefined ? [] : bagInfoFields(build.about).filter(({ label }) => !given.has(label.toLowerCase()));
  const info = [
    `${AGENT} ${VERSION}`,
    `External-Description: ${build.records} change records of ${build.accounts} accounts, as the files of a JSON API`,
    `External-Identifier: ${build.base_url}`,
    ...(build.incomplete ?? []).map((lack) => `Internal-Sender-Description: Not known to be complete: ${lackSentence(lack)}`),
    `Payload-Oxum: ${bytes}.${files}`,
    ...[...ofSite, ...bagInfo].map(({ label, value }) => `${label}: ${value}`),
  ];
  const lines = [
    await writeTagFile(bag, 'bagit.txt', ['BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n']),
    await writeTagFile(bag, INFO, [`${info.join('\n')}\n`]),
    `${hash('sha256', readRegularFile(join(bag, PAYLOAD_MANIFEST)))}  ${PAYLOAD_MANIFEST}\n`,
    ...(identities === undefined ? [] : [await writeTagFile(bag, IDENTITIES.file, identities)]),
  ];
  await writeTagFile(bag, 'tagmanifest-sha256.txt', lines);
}

/** Writes a tag file. Returns its line for the tag manifest. */
async function writeTagFile(bag: string, name: string, texts: Iterable<string>): Promise<string> {
  const sha256 = createHash('sha256');
  function* hashed(): Generator<string> {
    for (const text of texts) {
      sha256.update(text);
      yield text;
    }
  }
  await writeFiles([{ path: join(bag, name), content: hashed() }]);
  return `${sha256.digest('hex')}  ${name}\n`;
}

async function copy(bag: string, path: string, content: Buffer, digest: string = hash('sha256', content)): Promise<Payload> {
  const target = join(bag, 'data', path);
  await outputFile(target, content, { flag: 'wx' });
  return { path, digest, bytes: content.length };
}

/** Returns the path of a file that is not of a bag that palimpsest wrote into this folder; undefined if there is none. */
function otherThanBag(folder: string, names: readonly string[]): string | undefined {
  const other = names.find((name) => !ENTRIES.includes(name));
  const isBag = names.includes(INFO) && readRegularFile(join(folder, INFO)).toString().startsWith(AGENT);
  if (other !== undefined || !isBag) return other ?? names[0];
  // an interrupted move leaves no manifest
  if (!names.includes(PAYLOAD_MANIFEST) || !names.includes('data')) return undefined;
  const manifest = readRegularFile(join(folder, PAYLOAD_MANIFEST)).toString();
  const listed = new Set(manifest.split('\n').map((line) => line.slice(line.indexOf(' ') + 2)));
  const files = readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  return files
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .find((path) => !listed.has(path));
}
