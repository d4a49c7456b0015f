import { createHash, hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { outputFile, removeSync } from 'fs-extra/esm';
import { Failure } from '../contract/failure.ts';
import { draftOf } from '../contract/files/draft.ts';
import { lackSentence } from '../contract/files/incomplete-mirror.ts';
import { BUILD_RECORD, encodeBuildRecord } from '../tree/build-record.ts';
import { inOrder } from '../tree/in-order.ts';
import { fileCount } from '../tree/layout.ts';
import type { DigestEntry } from '../tree/manifest/digests.ts';
import { MANIFEST } from '../tree/manifest/manifest.ts';
import { readRegularFile } from '../tree/regular-file.ts';
import { SORT_KEYS } from '../tree/sort-keys.ts';
import { filesOf, readVerified, readVerifiedSync, type VerifiedTree } from '../tree/verified-tree.ts';
import { VERSION } from '../version.ts';
import { IDENTITIES } from '../warc/identities.ts';
import { write, writeDraft } from './draft-file.ts';
import type { ArchiveOptions } from './warc.ts';

export interface BagOptions extends ArchiveOptions {
  /** More lines for bag-info.txt. */
  readonly bagInfo?: readonly { readonly label: string; readonly value: string }[] | undefined;
}

/** Files that are copied at the same time. */
const WIDTH = 8;

/** A file of the payload. */
interface Payload {
  readonly path: string;
  readonly digest: string;
  readonly bytes: number;
}

/** The files and folders of a bag. A folder without bagit.txt is not a bag, so an interrupted move leaves none. */
const ENTRIES = ['data', 'bag-info.txt', IDENTITIES.file, 'manifest-sha256.txt', 'tagmanifest-sha256.txt', 'bagit.txt'];

/**
 * Writes a tree as a bag (BagIt 1.0): the tree is the folder `data`, and the manifest of the bag has the SHA-256 values of
 * the tree's own manifest. Each file is compared with it.
 * @throws Failure tree-edited, not-ours if the folder is not empty, file-system
 */
export async function writeBag(tree: VerifiedTree, to: string, options: BagOptions = {}): Promise<void> {
  const folder = resolve(to);
  const isNew = !existsSync(folder);
  // an interrupted run can have left its draft in either place
  const draft = draftOf(isNew ? folder : join(folder, 'bag'));
  if (!isNew) refuseUnlessEmpty(to);
  // an existing folder is filled and not replaced, because it may be a mount point or the working directory
  try {
    mkdirSync(draft);
    await fill(tree, draft, options);
    if (isNew) renameSync(draft, folder);
    else moveEntries(draft, folder);
  } catch (error) {
    if (!isTaken(draft, error)) removeSync(draft);
    throw unwritable(to, draft, error);
  }
}

/** Moves a bag from its draft to an empty folder. If that fails, the folder is empty again. */
function moveEntries(draft: string, folder: string): void {
  const moved: string[] = [];
  try {
    for (const entry of ENTRIES) {
      if (!existsSync(join(draft, entry))) continue;
      renameSync(join(draft, entry), join(folder, entry));
      moved.push(entry);
    }
    rmdirSync(draft);
  } catch (error) {
    for (const entry of moved.toReversed()) removeSync(join(folder, entry));
    throw error;
  }
}

/** Whether another program already had that folder. */
function isTaken(draft: string, error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST' && 'path' in error && error.path === draft;
}

/** Converts an error of a write to a Failure. Returns any other error unchanged, such as an error of a read of the tree. */
function unwritable(folder: string, draft: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  if ('path' in error && typeof error.path === 'string' && !error.path.startsWith(draft)) return error;
  return new Failure('file-system', `cannot write ${folder}`, {
    place: { file: folder },
    expected: 'a folder that can be written, on a disk with free space',
    found: error.message,
    hint: 'name another folder with --to, or check the permissions and free space of its folder',
    cause: error,
  });
}

async function fill(tree: VerifiedTree, bag: string, { onProgress, bagInfo = [], identities }: BagOptions): Promise<void> {
  const { build } = tree;
  let [files, bytes] = [0, 0];
  const all = fileCount(tree.digests) + (build.browse_files ?? 0);
  await writeDraft(join(bag, 'manifest-sha256.txt'), async (manifest) => {
    const add = async (payload: Payload) => {
      await write(manifest, Buffer.from(`${payload.digest}  data/${payload.path}\n`));
      files += 1;
      bytes += payload.bytes;
      onProgress?.(files, all, bytes);
    };
    const copyFile = async (file: DigestEntry) => await copy(bag, file.path, await readVerified(tree, file), file.digest);
    for await (const payload of inOrder(filesOf(tree), WIDTH, copyFile)) await add(payload);
    for (const [path, content] of filesBeside(tree)) await add(await copy(bag, path, content));
  });
  const info = [
    `Bag-Software-Agent: palimpsest ${VERSION}`,
    `External-Description: ${build.records} change records of ${build.accounts} accounts, as the files of a JSON API`,
    `External-Identifier: ${build.base_url}`,
    ...(build.incomplete ?? []).map((lack) => `Internal-Sender-Description: Not known to be complete: ${lackSentence(lack)}`),
    `Payload-Oxum: ${bytes}.${files}`,
    ...bagInfo.map(({ label, value }) => `${label}: ${value}`),
  ];
  const lines = [
    await writeTagFile(bag, 'bagit.txt', ['BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n']),
    await writeTagFile(bag, 'bag-info.txt', [`${info.join('\n')}\n`]),
    `${hash('sha256', readRegularFile(join(bag, 'manifest-sha256.txt')))}  manifest-sha256.txt\n`,
    ...(identities === undefined ? [] : [await writeTagFile(bag, IDENTITIES.file, identities)]),
  ];
  await writeTagFile(bag, 'tagmanifest-sha256.txt', lines);
}

/** Writes a tag file. Returns its line for the tag manifest. */
async function writeTagFile(bag: string, name: string, texts: Iterable<string>): Promise<string> {
  const sha256 = createHash('sha256');
  await writeDraft(join(bag, name), async (file) => {
    for (const text of texts) {
      sha256.update(text);
      await write(file, Buffer.from(text));
    }
  });
  return `${sha256.digest('hex')}  ${name}\n`;
}

/** The files of a tree that are no pages, each compared with its SHA-256. */
function filesBeside(tree: VerifiedTree): readonly (readonly [path: string, content: Buffer])[] {
  const { build, sortKeys } = tree;
  const checked = (path: string, digest: string) => [path, readVerifiedSync(tree, { path, digest })] as const;
  return [
    checked(SORT_KEYS, sortKeys),
    checked(MANIFEST, build.manifest),
    // as it was when the tree was opened: a build may have begun since
    [BUILD_RECORD, Buffer.from(encodeBuildRecord(build))],
  ];
}

async function copy(bag: string, path: string, content: Buffer, digest: string = hash('sha256', content)): Promise<Payload> {
  const target = join(bag, 'data', path);
  await outputFile(target, content, { flag: 'wx' });
  return { path, digest, bytes: content.length };
}

function refuseUnlessEmpty(to: string): void {
  const first = statSync(to).isDirectory() ? readdirSync(to)[0] : to;
  if (first === undefined) return;
  throw new Failure('not-ours', `${to} is not an empty folder`, {
    place: { file: to },
    expected: 'a new or empty folder for the bag',
    found: first === to ? 'a file' : `a folder with ${first}`,
    hint: 'name another folder with --to, or move this one away; nothing was changed',
  });
}
