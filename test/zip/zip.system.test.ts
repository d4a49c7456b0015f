import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeHeader } from '../../src/zip/local-header.ts';
import { packMember, ZipDamage } from '../../src/zip/member.ts';
import { bucketRange, findMember, IndexRows } from '../../src/zip/zip-index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { isFull, times } from '../support/proof.ts';
import { requirement } from '../support/requirement.ts';
import { packed, readerOf, writeZip } from './zips.ts';

const [unzip, python, sevenZip] = [
  requirement('unzip', () => runs('unzip', '-v')),
  requirement('python3', () => runs('python3', '--version')),
  requirement('7z', () => runs('7z', 'i')),
];

const paths = fc.stringMatching(/^[a-z]{1,4}(\/[a-z0-9~-]{1,9}){0,3}(\.json|\/index\.json)?$/);
const files = fc.uniqueArray(fc.tuple(paths, fc.uint8Array({ maxLength: 300 })), { selector: ([path]) => path, maxLength: 300 });

describe('a ZIP', () => {
  it('gives back every file, and no other one', () => {
    const folder = temporaryFolder();
    fc.assert(
      fc.property(files, (all) => {
        const zip = readerOf(
          writeZip(
            folder,
            all.map(([path, bytes]) => packed(path, bytes)),
          ),
        );
        for (const [path, bytes] of all) {
          expect(zip.read(path)).toEqual(Buffer.from(bytes));
          expect(zip.packed().take(path, () => zip.find(path)?.offset)).toEqual(packMember(path, [bytes]));
          expect(zip.find(path)?.content).toBe(hash('sha256', bytes).slice(0, 16));
        }
        expect([...zip.paths()]).toEqual(all.map(([path]) => path));
        expect([zip.read('another/path'), zip.read('.zip-index'), zip.members]).toEqual([undefined, undefined, all.length]);
        zip.close();
      }),
      { numRuns: times('ZIPs', 20, 100) },
    );
  });

  it('has the documented bytes', () => {
    const bytes = Buffer.from('{}');
    // the packed bytes are one stored block, so that no release of zlib changes this test
    const block = Buffer.from([1, 2, 0, 253, 255, ...bytes]);
    const member = Buffer.concat([
      encodeHeader({ path: 'a.json', method: 8, crc: crc32(bytes), packed: block.length, size: bytes.length }),
      block,
    ]);
    const zip = readFileSync(writeZip(temporaryFolder(), [[member, hash('sha256', bytes)]]));
    const fields = '1400000008000000210043bfa6a3070000000200000006000000';
    const row = `${hash('sha256', 'a.json').slice(0, 16)}0000000000000700000043bfa6a302000000${hash('sha256', bytes).slice(0, 16)}`;
    const last = '00'.repeat(18) + crcOf(Buffer.from(row, 'hex')) + '00'.repeat(12);
    const index = `${row}${last}504c4958010000000100000002000000`;
    const indexFields = `14000000000000002100${crcOf(Buffer.from(index, 'hex'))}54000000540000000a000000`;
    expect(zip.toString('hex')).toBe(
      [
        `504b0304${fields}${hex('a.json')}${block.toString('hex')}`,
        `504b0304${indexFields}${hex('.zip-index')}${index}`,
        `504b01021400${fields}${'00'.repeat(14)}${hex('a.json')}`,
        `504b01021400${indexFields}${'00'.repeat(10)}2b000000${hex('.zip-index')}`,
        '504b05060000000002000200' + '6c000000' + 'a7000000' + '0000',
      ].join(''),
    );
  });

  it('has the envelope of a page in a stored block, and the rest deflated apart', () => {
    const [envelope, rest] = ['{"count":1,"next":null,"previous":null,"results":[', `${'{"id":1},'.repeat(200)}{"id":1}]}`];
    const path = 'rest/data/page/1/index.json';
    const member = packMember(path, [Buffer.from(envelope), Buffer.from(rest)]).subarray(30 + path.length);
    expect([member[0], member.readUInt16LE(1), member.readUInt16LE(3)]).toEqual([0, envelope.length, 0xffff - envelope.length]);
    expect(member.subarray(5, 5 + envelope.length).toString()).toBe(envelope);
    expect(inflateRawSync(member.subarray(5 + envelope.length)).toString()).toBe(rest);
    expect(inflateRawSync(member).toString()).toBe(envelope + rest);
  });

  it('has an index with the documented place of each row', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1500 }), (count) => {
        const rows = new IndexRows();
        for (let row = 0; row < count; row += 1)
          rows.add({ path: `${row}`, method: 8, offset: row * 2 ** 33, packed: row + 1, crc: row, size: row, content: 'ff'.repeat(8) });
        const bytes = Buffer.concat([...rows.pieces()]);
        const [buckets, capacity] = [bytes.readUInt32LE(bytes.length - 8), bytes.readUInt32LE(bytes.length - 4)];
        expect(buckets).toBe(Math.max(1, Math.ceil(count / 96)));
        expect(bytes.length).toBe(buckets * capacity * 34 + 16);
        for (let row = 0; row < count; row += 1) {
          const { offset, length } = bucketRange(`${row}`, { offset: 0, buckets, capacity });
          const found = findMember(`${row}`, bytes.subarray(offset, offset + length));
          expect([found?.offset, found?.packed, found?.crc]).toEqual([row * 2 ** 33, row + 1, row]);
        }
      }),
      { numRuns: times('indexes', 5, 200) },
    );
  });

  it('is refused if a path is in it twice, is not ASCII, or a length has more than 32 bits', () => {
    const folder = temporaryFolder();
    expect(() => writeZip(folder, [packed('a', Buffer.of(1)), packed('a', Buffer.of(1))])).toThrow('SHA-256');
    expect(() => packed('é', Buffer.of(1))).toThrow(RangeError);
    expect(() => encodeHeader({ path: 'a', method: 8, crc: 0, packed: 2 ** 32, size: 1 })).toThrow(RangeError);
  });

  it('never gives wrong bytes after any change of one byte, and never fails with another error', () => {
    const folder = temporaryFolder();
    const all = Array.from({ length: 40 }, (_, index) => [`rest/${index}/index.json`, Buffer.from(`page ${index} `.repeat(9))] as const);
    const good = readFileSync(
      writeZip(
        folder,
        all.map(([path, bytes]) => packed(path, bytes)),
      ),
    );
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), fc.boolean(), (place, change, isCut) => {
        const bytes = Buffer.from(isCut ? good.subarray(0, place) : good);
        if (!isCut) bytes[place] = (bytes[place] ?? 0) ^ change;
        const path = join(folder, 'damaged.zip');
        writeFileSync(path, bytes);
        const orDamage = <T>(read: () => T): T | 'damaged' => {
          try {
            return read();
          } catch (error) {
            if (error instanceof ZipDamage) return 'damaged';
            throw error;
          }
        };
        const zip = orDamage(() => readerOf(path));
        if (zip === 'damaged') return;
        for (const [member, content] of all)
          expect(['damaged', content.toString()]).toContain(orDamage(() => zip.read(member)?.toString()));
        zip.close();
      }),
      { numRuns: times('damaged ZIPs', 100, 5000) },
    );
  });
});

describe('a ZIP for other programs', () => {
  const cases = [
    ['of three files', 3, 10],
    ['of 66,000 files', 66_000, 10],
    ...(isFull ? ([['of more than 4 GiB', 5000, 950_000]] as const) : []),
  ] as const;

  it.skipIf(unzip.skip || python.skip || sevenZip.skip).each(cases)(
    `%s is read by unzip, by the module zipfile of Python, and by 7z ${unzip.reason}${python.reason}${sevenZip.reason}`,
    (_, count, length) => {
      const folder = temporaryFolder();
      const noise = Buffer.from(
        hash('sha512', 'noise')
          .repeat(Math.ceil(length / 128))
          .slice(0, length),
      );
      const path = writeZip(folder, stored(count, noise));
      const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
      expect(run('unzip', '-tqq', path)).toBe('');
      const script = `
import sys, zipfile
zip = zipfile.ZipFile(sys.argv[1])
names = zip.namelist()
print(len(names), zip.testzip(), zip.read(names[-2])[-9:])`;
      expect(run('python3', '-c', script, path)).toBe(`${count + 1} None b'${String(count - 1).padStart(9)}'\n`);
      const tested = run('7z', 't', path);
      expect(tested).toContain('Everything is Ok');
      expect(tested).not.toContain('Warning');
      const zip = readerOf(path);
      expect(
        zip
          .read(`file-${count - 1}`)
          ?.subarray(-9)
          .toString(),
      ).toBe(String(count - 1).padStart(9));
      expect([...zip.paths()].length).toBe(count);
      zip.close();
    },
    1_800_000,
  );
});

/** Yields members that are stored blocks of deflate, which takes little time. */
function* stored(count: number, noise: Buffer): Generator<readonly [member: Buffer, digest: string]> {
  for (let index = 0; index < count; index += 1) {
    const bytes = Buffer.concat([noise, Buffer.from(String(index).padStart(9))]);
    const blocks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 0xffff) {
      const block = bytes.subarray(at, at + 0xffff);
      const start = Buffer.alloc(5, at + 0xffff < bytes.length ? 0 : 1);
      start.writeUInt16LE(block.length, 1);
      start.writeUInt16LE(0xffff - block.length, 3);
      blocks.push(start, block);
    }
    const packedBytes = Buffer.concat(blocks);
    const header = encodeHeader({ path: `file-${index}`, method: 8, crc: crc32(bytes), packed: packedBytes.length, size: bytes.length });
    yield [Buffer.concat([header, packedBytes]), String(index).padStart(16, '0')];
  }
}

function crcOf(bytes: Buffer): string {
  const crc = Buffer.alloc(4);
  crc.writeUInt32LE(crc32(bytes));
  return crc.toString('hex');
}

function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}

function runs(program: string, argument: string): boolean {
  try {
    execFileSync(program, [argument], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
