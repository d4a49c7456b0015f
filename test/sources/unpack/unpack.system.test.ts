import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DecompressionLimit } from '../../../src/contract/files/decompression-limit.ts';
import { plainCommand } from '../../../src/sources/hint-command.ts';
import { decode } from '../../../src/sources/inputs/file-values.ts';
import { inputsOf } from '../../../src/sources/inputs/inputs.ts';
import type { Input, InputError } from '../../../src/sources/source.ts';
import { filesIn } from '../../../src/sources/unpack/unpack.ts';
import { bzip2, COMPRESSIONS, programs, tarOf, zipOf, zstd } from '../../support/archives.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { isOne } from '../../support/proof.ts';

const NAME = 'source';

/** Returns an input without a path, whose bytes come in small pieces. */
function inputOf(bytes: Uint8Array, more: Partial<Input> = {}): Input {
  const size = Math.max(1, Math.min(1 << 16, Math.ceil(bytes.length / 7)));
  async function* open() {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  }
  return { name: NAME, size: bytes.length, open, ...more };
}

interface Read {
  /** The text of each file that was read to its end, by its name. */
  readonly texts: Readonly<Record<string, string>>;
  readonly failures: readonly (InputError | Error)[];
  /** The files that failed after some of their text was read; undefined if there are none. */
  readonly begun: readonly string[] | undefined;
}

async function read(input: Input): Promise<Read> {
  const texts: Record<string, string> = {};
  const failures: (InputError | Error)[] = [];
  const begun: string[] = [];
  for await (const files of filesIn(input)) {
    if ('kind' in files) failures.push(files);
    else
      for (const file of files) {
        let text = '';
        try {
          for await (const piece of decode(file, { verb: 'import', command: plainCommand })) text += piece;
          texts[file.name] = text;
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          failures.push(error);
          if (text !== '') begun.push(file.name);
        }
      }
  }
  return { texts, failures, begun: begun.length === 0 ? undefined : begun };
}

const TEXT = `${JSON.stringify({ screen_name: 'nina_k', bio: 'é'.repeat(500) })}\n`.repeat(40);

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.skipIf(programs.skip)('filesIn', () => {
  it.each(COMPRESSIONS)('reads %s data: alone, in several parts, around a tar archive, and inside one', async (_, compress) => {
    const parts = Buffer.concat([compress(TEXT), compress('{}\n'), compress('')]);
    const archive = compress(await tarOf({ 'a.json': TEXT, 'b/c': compress('{}'), 'b/parts': parts }));
    expect(await read(inputOf(compress(TEXT)))).toEqual({ texts: { source: TEXT }, failures: [] });
    expect(await read(inputOf(parts))).toEqual({ texts: { source: `${TEXT}{}\n` }, failures: [] });
    expect(await read(inputOf(compress('')))).toEqual({ texts: { source: '' }, failures: [] });
    expect(await read(inputOf(archive))).toEqual({
      texts: { 'source: a.json': TEXT, 'source: b/c': '{}', 'source: b/parts': `${TEXT}{}\n` },
      failures: [],
    });
  });

  it.each(COMPRESSIONS)('rejects %s data that is cut short at any place', async (name, compress) => {
    const whole = compress(TEXT);
    for (const length of [8, Math.floor(whole.length / 2), whole.length - 5, whole.length - 1]) {
      const { failures, texts } = await read(inputOf(whole.subarray(0, length)));
      expect(failures, `${length} of ${whole.length}`).toMatchObject([
        { code: 'bad-encoding', place: { file: NAME }, expected: `a complete ${name} file` },
      ]);
      expect(texts).toEqual({});
    }
  });

  it.skipIf(isOne)(
    'rejects data that expands too much: at once, by the members of an archive together, and in two compressions together',
    async () => {
      const spaces = Buffer.alloc((1 << 26) + 1, ' ');
      const bomb = { code: 'bad-encoding', message: 'source expands too much: it may be a decompression bomb' };
      expect((await read(inputOf(zstd(spaces)))).failures).toMatchObject([bomb]);
      const half = zstd(spaces.subarray(0, 1 << 25));
      const { texts, failures } = await read(inputOf(await tarOf({ a: half, b: half, c: half })));
      expect(Object.keys(texts)).toEqual(['source: a', 'source: b']);
      expect(failures).toMatchObject([bomb]);
      // each of the two expands less than a thousand times
      expect((await read(inputOf(gzipSync(gzipSync(spaces, { level: 1 }))))).failures).toMatchObject([bomb]);
    },
  );

  it('accepts data that expands a thousand times, of any size, and any expansion of little data', () => {
    const expansion = new DecompressionLimit('source');
    expansion.addPlain(1 << 26);
    expansion.addPacked(1 << 26);
    expansion.addPlain(999 * 2 ** 26);
    expect(() => expansion.addPlain(1)).toThrow('source expands too much');
    const inner = new DecompressionLimit('inner', new DecompressionLimit('outer'));
    inner.addPacked(1 << 26);
    expect(() => inner.addPlain((1 << 26) + 1)).toThrow('outer expands too much');
  });

  it('reads a tar archive of the system: long names, links and special files, and skips hidden files', async () => {
    const folder = temporaryFolder();
    const long = `${'deep/'.repeat(40)}${'n'.repeat(120)}é.json`;
    for (const path of [long, '1.json', '.hidden', '.git/config', 'b/.x']) {
      mkdirSync(join(folder, 'in', path, '..'), { recursive: true });
      writeFileSync(join(folder, 'in', path), path === '1.json' ? TEXT : '{}');
    }
    symlinkSync('1.json', join(folder, 'in', 'link.json'));
    for (const format of ['gnu', 'pax']) {
      execFileSync('tar', [`--format=${format}`, '--sort=name', '-C', join(folder, 'in'), '-cf', join(folder, 'a.tar'), '.']);
      const [input] = inputsOf([join(folder, 'a.tar')], process.stdin);
      if (input === undefined) throw new Error('no input');
      const { texts, failures } = await read(input);
      expect(failures).toEqual([]);
      expect(texts).toEqual({ [`${input.name}: 1.json`]: TEXT, [`${input.name}: ${long}`]: '{}' });
    }
  });

  it('rejects a tar archive that is cut short at any place, also between two files', async () => {
    const whole = await tarOf({ 'a.json': '{}', 'b.json': TEXT });
    for (const length of [600, 1024, 1536, 1600, 5000, whole.length - 1024, whole.length - 100]) {
      const { failures } = await read(inputOf(whole.subarray(0, length)));
      expect(failures, `${length} of ${whole.length}`).toMatchObject([{ code: 'bad-archive', place: { file: NAME } }]);
    }
    const { failures } = await read(inputOf(whole.subarray(0, 5000)));
    expect(failures).toMatchObject([{ found: 'the end of the file before the end of the archive, inside b.json' }]);
  });

  it('reads the members around a broken one, and around one that is not read to its end', async () => {
    const broken = bzip2(TEXT);
    const archive = await tarOf({ a: '{}', b: broken.subarray(0, 60), c: Buffer.from('\xff'.repeat(9000), 'latin1'), d: '[]' });
    const { texts, failures } = await read(inputOf(archive));
    expect(texts).toEqual({ 'source: a': '{}', 'source: d': '[]' });
    expect(failures).toMatchObject([
      { code: 'bad-encoding', place: { file: 'source: b' } },
      { code: 'bad-encoding', place: { file: 'source: c' } },
    ]);
  });

  it('rejects an archive without files, and a tar archive with a damaged header', async () => {
    for (const empty of [await tarOf({ '.hidden': '{}' }), await zipOf({ '.hidden': '{}' }), await zipOf({})]) {
      expect((await read(inputOf(empty))).failures).toMatchObject([{ code: 'no-source', place: { file: NAME } }]);
    }
    const archive = await tarOf({ a: '{}', b: '{}' });
    archive.write('x', 1024);
    const { texts, failures } = await read(inputOf(archive));
    expect(texts).toEqual({ 'source: a': '{}' });
    expect(failures).toMatchObject([{ code: 'bad-archive', found: 'Invalid tar header checksum.' }]);
  });

  it('reads a ZIP file, also one that is not a file of this machine', async () => {
    const files = { 'a.json': TEXT, 'b/c.json.bz2': bzip2('{}'), '__MACOSX/._a.json': 'x' };
    const texts = { 'source: a.json': TEXT, 'source: b/c.json.bz2': '{}' };
    const bytes = await zipOf(files);
    const path = join(temporaryFolder(), 'a.zip');
    writeFileSync(path, bytes);
    expect(await read(inputOf(bytes, { path }))).toEqual({ texts, failures: [] });
    expect(await read(inputOf(bytes))).toEqual({ texts, failures: [] });
    expect(await read(inputOf(bzip2(bytes)))).toEqual({ texts, failures: [] });
  });

  it.each([
    ['a short', TEXT],
    ['a long', TEXT.repeat(100)],
  ])('rejects a ZIP file that is cut short, and all of %s member with a wrong checksum, encryption or compression', async (_, text) => {
    const whole = await zipOf({ 'a.json': text, 'b.json': '{}' });
    for (const length of [10, 100, whole.length - 1]) {
      expect((await read(inputOf(whole.subarray(0, length)))).failures).toMatchObject([{ code: 'bad-archive', place: { file: NAME } }]);
    }
    const directory = whole.indexOf('PK\x01\x02');
    const damage: [position: number, found: string][] = [
      [8, 'an encrypted file'],
      [10, 'the compression method 9'],
      [16, 'another checksum (CRC-32)'],
    ];
    for (const [position, found] of damage) {
      const changed = Buffer.from(whole);
      changed[directory + position] = (changed[directory + position] ?? 0) ^ 1;
      const { failures, ...others } = await read(inputOf(changed));
      expect(failures).toMatchObject([{ code: 'bad-archive', place: { file: 'source: a.json' }, found }]);
      expect(others).toEqual({ texts: { 'source: b.json': '{}' }, begun: undefined });
    }
  });

  it('rejects archives in archives', async () => {
    const inner = await tarOf({ a: '{}' });
    const { failures } = await read(inputOf(await tarOf({ 'inner.tar': inner })));
    expect(failures).toMatchObject([{ code: 'bad-encoding', found: 'a tar archive', place: { file: 'source: inner.tar' } }]);
  });

  it('stops with no-tool if the program that decompresses is not installed', async () => {
    const alone = bzip2('{}');
    const archive = await tarOf({ a: alone });
    vi.stubEnv('PATH', temporaryFolder());
    expect((await read(inputOf(archive))).failures).toMatchObject([
      { code: 'no-tool', place: { file: 'source: a' }, hint: expect.stringContaining('apt install bzip2') },
    ]);
    await expect(read(inputOf(alone))).rejects.toMatchObject({ code: 'no-tool' });
  });

  it.each([
    ['is killed', '#!/bin/sh\nkill -KILL $$', 0o755, 'bzip2 was ended by SIGKILL'],
    ['cannot start', '#!/bin/sh\nexit 0', 0o644, 'spawn bzip2 EACCES'],
  ])('stops with tool-failed if the program that decompresses %s', async (_, program, mode, found) => {
    const alone = bzip2('{}');
    const archive = await tarOf({ a: alone });
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'bzip2'), program, { mode });
    vi.stubEnv('PATH', folder);
    expect((await read(inputOf(archive))).failures).toMatchObject([{ code: 'tool-failed', place: { file: 'source: a' }, found }]);
    await expect(read(inputOf(alone))).rejects.toMatchObject({ code: 'tool-failed', found });
  });

  it('passes on an error of the source once', async () => {
    const archive = await tarOf({ a: TEXT, b: '{}' });
    async function* open() {
      yield archive.subarray(0, 2000);
      throw new Error('the disk is broken');
    }
    const { texts, failures } = await read({ name: NAME, size: undefined, open });
    expect(texts).toEqual({});
    expect(failures).toMatchObject([{ code: 'bad-source' }]);
  });
});
