import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { encodeEndRecords, encodeEntry } from '../../src/zip/central-directory.ts';
import { decodeHeader, encodeHeader, HEADER_BYTES, STORED } from '../../src/zip/local-header.ts';
import { packMember } from '../../src/zip/member.ts';
import { INDEX, IndexRows, type MemberPlace } from '../../src/zip/zip-index.ts';
import { pathsIn } from '../support/folder.ts';
import { readerOf } from '../zip/zips.ts';

/** What a damaged ZIP has instead of the right bytes. */
export interface ZipEdits {
  /** The path of the member to edit. */
  readonly of?: string;
  /** Returns the row of the member; undefined to leave it out. */
  readonly row?: (place: MemberPlace) => MemberPlace | undefined;
  /** Returns the entries of the member in the central directory. */
  readonly entries?: (entry: Buffer) => readonly Buffer[];
  /** Bytes before the member. */
  readonly gap?: string;
  /** Further members, by path. */
  readonly more?: { readonly [path: string]: string };
}

const FIRST = 'rest/data/index.json';

/** Writes the files of a folder as a ZIP, with a right CRC-32 for everything that is edited. */
export function zipOf(folder: string, to: string, { more = {}, ...edits }: ZipEdits = {}): string {
  const files = [
    // the first member is that of a build
    ...pathsIn(folder)
      .toSorted((one, other) => Number(other === FIRST) - Number(one === FIRST))
      .map((path) => [path, readFileSync(join(folder, path))] as const),
    ...Object.entries(more).map(([path, text]) => [path, Buffer.from(text)] as const),
  ];
  const [rows, pieces, directory] = [new IndexRows(), [] as Buffer[], [] as Buffer[]];
  let offset = 0;
  const append = (path: string, member: Buffer) => {
    const entry = encodeEntry(member, path.length, offset);
    const listed = (path === edits.of ? edits.entries?.(entry) : undefined) ?? [entry];
    directory.push(...listed);
    pieces.push(member);
    offset += member.length;
    return listed.length;
  };
  let members = 0;
  for (const [path, bytes] of files) {
    const between = Buffer.from((path === edits.of && edits.gap) || '');
    pieces.push(between);
    offset += between.length;
    const member = packMember(path, [bytes]);
    const header = decodeHeader(member);
    if (header === undefined) throw new Error('no header');
    const place = { ...header, offset, content: hash('sha256', bytes).slice(0, 16) };
    const row = path === edits.of && edits.row !== undefined ? edits.row(place) : place;
    if (row !== undefined) rows.add(row);
    members += append(path, member);
  }
  const index = Buffer.concat([...rows.pieces()]);
  const [crc, size] = [crc32(index), index.length];
  members += append(INDEX, Buffer.concat([encodeHeader({ path: INDEX, method: STORED, crc, packed: size, size }), index]));
  const length = directory.reduce((sum, entry) => sum + entry.length, 0);
  writeFileSync(to, Buffer.concat([...pieces, ...directory, encodeEndRecords({ members, offset, length })]));
  return to;
}

/** Changes a byte of a member of a ZIP. `at` counts from its local header, or from its end if it is negative. */
export function flipByte(zip: string, path: string, at: number): void {
  const reader = readerOf(zip);
  const place = reader.find(path);
  reader.close();
  if (place === undefined) throw new Error(`no member ${path}`);
  const length = HEADER_BYTES + path.length + place.packed;
  flipByteAt(zip, place.offset + (at < 0 ? length + at : at));
}

/** Changes a byte of a file. */
export function flipByteAt(file: string, at: number, mask = 0xff): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ mask;
  writeFileSync(file, bytes);
}
