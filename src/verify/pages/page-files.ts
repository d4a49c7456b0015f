import { createHash, hash } from 'node:crypto';
import { decompress, type Encoding, SUFFIXES } from '../../tree/encoding.ts';
import { pathsOf } from '../../tree/layout.ts';
import type { Digests } from '../../tree/manifest/digests.ts';
import { inMemory, type TreeFiles } from '../../tree/tree-files.ts';
import { compareDigests, reportUnreadable } from '../manifest-check.ts';
import type { Report } from '../violation.ts';
import type { CollectionMetadata, PageContent, ReadPage } from './tree-pages.ts';

/** The size of a page that is read as a whole, in bytes. To check it takes several times as much memory. */
const MAX_IN_MEMORY = 1 << 23;

interface ReadTree {
  readonly files: TreeFiles;
  readonly manifest: Digests;
}

/** Returns what reads a page: it compares the files of the page with the manifest and with one another. */
export function pageReader(tree: ReadTree): ReadPage {
  return (metadata, number, path, report) => {
    const files = pathsOf(metadata.collection, number, metadata.pages).flatMap((file) => {
      try {
        return [readFile(tree.files, file, file === path)];
      } catch {
        reportUnreadable(tree.files, file, tree.manifest.get(file), report);
        return [];
      }
    });
    for (const { file, digest } of files) checkDigest(tree, file, digest, report);
    const read = files.find(({ file }) => file === path);
    // a file with the right digest differs only because the other one is damaged
    const otherCause = report.isDamaged(path) ? path : undefined;
    for (const { file, digest } of files) {
      if (read === undefined || digest === read.digest) continue;
      const cause = report.isDamaged(file) ? undefined : otherCause;
      report.add({ rule: 'duplicate-mismatch', path: file, expected: `the bytes of ${path}`, found: 'other bytes', cause });
    }
    checkVariants(tree, metadata, number, read, report);
    return read?.content;
  };
}

interface ReadFile {
  readonly file: string;
  readonly digest: string;
  readonly content: PageContent | undefined;
}

/** Hashes a file. @param isKept whether to return its content */
function readFile(files: TreeFiles, file: string, isKept: boolean): ReadFile {
  if ((files.size(file) ?? 0) <= MAX_IN_MEMORY) {
    const bytes = files.read(file);
    return { file, digest: hash('sha256', bytes), content: isKept ? { ...inMemory(bytes), isLarge: false } : undefined };
  }
  const digest = createHash('sha256');
  for (const piece of files.pieces(file)) digest.update(piece);
  return { file, digest: digest.digest('hex'), content: isKept ? { ...files.open(file), isLarge: true } : undefined };
}

function checkDigest({ manifest }: ReadTree, path: string, found: string, report: Report): void {
  const expected = manifest.get(path);
  if (expected !== undefined) compareDigests(path, expected, found, report);
}

/** Compares the compressed copies of a page with the manifest and with the page. */
function checkVariants(tree: ReadTree, metadata: CollectionMetadata, number: number, page: ReadFile | undefined, report: Report): void {
  for (const encoding of tree.manifest.encodings) {
    for (const plain of pathsOf(metadata.collection, number, metadata.pages)) {
      const path = plain + SUFFIXES[encoding];
      try {
        const bytes = tree.files.read(path);
        checkDigest(tree, path, hash('sha256', bytes), report);
        if (page?.content !== undefined && !decompressesTo(bytes, encoding, page.content)) {
          const cause = report.isDamaged(page.file) && !report.isDamaged(path) ? page.file : undefined;
          const expected = `the bytes of the page, compressed with ${encoding}`;
          report.add({ rule: 'duplicate-mismatch', path, expected, found: 'other bytes', cause });
        }
      } catch {
        reportUnreadable(tree.files, path, tree.manifest.get(path), report);
      }
    }
  }
}

function decompressesTo(packed: Buffer, encoding: Encoding, page: PageContent): boolean {
  try {
    return decompress(packed, encoding, page.size).equals(page.read(0, page.size));
  } catch {
    return false;
  }
}
