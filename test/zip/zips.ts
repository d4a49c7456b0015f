import { hash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { packMember } from '../../src/zip/member.ts';
import { ZipReader } from '../../src/zip/zip-reader.ts';
import { ZipWriter } from '../../src/zip/zip-writer.ts';

/** Writes packed members to a ZIP, each with the SHA-256 of its bytes. */
export function writeZip(folder: string, members: Iterable<readonly [member: Buffer, digest: string]>): string {
  const path = join(folder, 'some.zip');
  const file = openSync(path, 'w');
  const writer = new ZipWriter(file, join(folder, 'central-directory'));
  for (const [member, digest] of members) writer.add(member, digest);
  writer.end();
  writer.close();
  closeSync(file);
  return path;
}

/** Packs a file, with its digest. */
export function packed(path: string, bytes: Uint8Array): readonly [member: Buffer, digest: string] {
  return [packMember(path, [bytes]), hash('sha256', bytes)];
}

export function readerOf(path: string): ZipReader {
  return new ZipReader(openSync(path, 'r'));
}

/** Returns the bytes of every member of the ZIP of a tree, by path. */
export function filesInZip(path: string): Map<string, Buffer> {
  const zip = readerOf(path);
  const files = new Map([...zip.paths()].map((member) => [member, zip.read(member) ?? Buffer.alloc(0)]));
  zip.close();
  return files;
}
