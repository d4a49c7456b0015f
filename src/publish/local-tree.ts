import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COLLECTIONS, type Collection } from '../contract/collection.ts';
import { Failure } from '../contract/failure.ts';
import { BUILD_RECORD, type BuildRecord } from '../tree/build-record.ts';
import { encodingsIn } from '../tree/encoding.ts';
import { builtTree } from '../tree/found-tree.ts';
import { pathOf, slotCount } from '../tree/layout.ts';
import { MANIFEST, manifestDigest, readManifest, type TreeDigests } from '../tree/manifest.ts';
import { inCrew } from './crew.ts';

/** How many files are read at once. */
const READERS = 8;

/** A finished tree on this machine whose files are what its manifest says. */
export interface LocalTree {
  readonly out: string;
  readonly build: BuildRecord;
  readonly digests: TreeDigests;
  /** Bytes of the files, by slot. */
  readonly sizes: { readonly [C in Collection]: Float64Array };
}

/**
 * Opens a tree and reads all of it, so that nothing is begun with one that somebody has changed.
 * @throws Failure no-tree, tree-unfinished, tree-edited
 */
export async function openTree(out: string, onProgress: (done: number, all: number) => void = () => {}): Promise<LocalTree> {
  const build = builtTree(out);
  if (manifestDigest(out) !== build.manifest) throw edited(join(out, MANIFEST), build.manifest, 'another, or none');
  const pages = { data: build.data_pages, account: build.account_pages };
  const encodings = encodingsIn(build.compress);
  const digests = readManifest(out, pages, encodings);
  const sizes = {
    data: new Float64Array(slotCount(pages.data, encodings)),
    account: new Float64Array(slotCount(pages.account, encodings)),
  };
  const tree = { out, build, digests, sizes };
  const all = sizes.data.length + sizes.account.length;
  let done = 0;
  for (const collection of COLLECTIONS) {
    await inCrew(sizes[collection].keys(), READERS, async (slot) => {
      sizes[collection][slot] = (await readPage(tree, collection, slot)).length;
      done += 1;
      onProgress(done, all);
    });
  }
  return tree;
}

/**
 * A file's bytes, held to the manifest.
 * @throws Failure tree-edited
 */
export async function readPage({ out, digests }: LocalTree, collection: Collection, slot: number): Promise<Buffer> {
  const { pages, encodings } = digests[collection];
  const path = join(out, pathOf(collection, slot, pages, encodings));
  const wanted = digests[collection].get(slot);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw edited(path, wanted, error instanceof Error ? error.message : String(error));
  });
  const found = hash('sha256', bytes);
  if (found !== wanted) throw edited(path, wanted, found);
  return bytes;
}

/** The files beside the pages, as they are now: the build record, then the manifest. */
export function readBeside({ out, build }: LocalTree): readonly { readonly path: string; readonly bytes: Buffer }[] {
  const manifest = readFileSync(join(out, MANIFEST));
  if (hash('sha256', manifest) !== build.manifest) throw edited(join(out, MANIFEST), build.manifest, 'another');
  return [
    { path: BUILD_RECORD, bytes: readFileSync(join(out, BUILD_RECORD)) },
    { path: MANIFEST, bytes: manifest },
  ];
}

function edited(file: string, wanted: string | undefined, found: string): Failure {
  return new Failure('tree-edited', `${file} is not what the build wrote`, {
    place: { file },
    expected: `the bytes with the SHA-256 ${wanted ?? 'that the manifest gives'}`,
    found,
    hint: 'run palimpsest build --repair, then publish again',
  });
}
