import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/tree/build.ts';
import { encodeHeader } from '../../src/zip/local-header.ts';
import { temporaryFolder } from '../support/folder.ts';
import { requirement } from '../support/requirement.ts';
import { goodHistory, importHistory, SITE } from '../verify/good-tree.ts';
import { filesInZip, writeZip } from '../zip/zips.ts';
import { blocksOf } from './blocks.ts';

const python = requirement('python3', () => spawnSync('python3', ['--version']).status === 0);
const [program = ''] = blocksOf('tree.md')('The ZIP of a tree', 'python');

/** Runs the program in docs/tree.md. */
const read = (zip: string, path: string) => spawnSync('python3', ['-c', program, zip, path]);

describe.skipIf(python.skip)(`the program in docs/tree.md ${python.reason}`, () => {
  it('has at most 15 lines', () => {
    expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
  });

  it('reads every kind of file from the ZIP of a tree', async () => {
    const folder = temporaryFolder();
    const [store, out] = [join(folder, 'store.db'), join(folder, 'history.zip')];
    await importHistory(store, goodHistory());
    await build(store, { out, site: SITE, html: true });
    const files = [...filesInZip(out)];
    for (const [path, bytes] of files.filter((_, index) => index % 9 === 0 || index > files.length - 4)) {
      const { status, stdout } = read(out, path);
      expect([path, status, stdout.equals(bytes)]).toEqual([path, 0, true]);
    }
    expect(read(out, 'rest/data/page/99/index.json').status).not.toBe(0);
  });

  it('reads a file from a ZIP with the records of ZIP64', () => {
    const zip = writeZip(temporaryFolder(), manyMembers(66_000));
    expect(read(zip, 'file-65999').stdout.toString()).toBe('65999');
  });
});

function* manyMembers(count: number): Generator<readonly [member: Buffer, digest: string]> {
  for (let index = 0; index < count; index += 1) {
    const bytes = Buffer.from(String(index));
    const packed = deflateRawSync(bytes);
    const header = encodeHeader({ path: `file-${index}`, method: 8, crc: crc32(bytes), packed: packed.length, size: bytes.length });
    yield [Buffer.concat([header, packed]), hash('sha256', bytes)];
  }
}
