import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { countPacked, DecompressionLimit } from '../../../src/contract/files/decompression-limit.ts';

const bomb = (file: string) => expect.objectContaining({ code: 'bad-encoding', place: { file } });

it.each([
  [10, 2 ** 26],
  [100_000, 100_000_000],
])('%i compressed bytes expand to at most %i', (packed, most) => {
  const expansion = new DecompressionLimit('a.gz');
  for (const bytes of [packed - 1, 1]) expansion.addPacked(bytes);
  expect(expansion.room).toBe(most);
  for (const bytes of [most - 5, 5]) expansion.addPlain(bytes);
  expect(expansion.room).toBe(0);
  expect(() => expansion.addPlain(1)).toThrow(bomb('a.gz'));
});

it('the bytes of a source count for the source that contains it', async () => {
  const outer = new DecompressionLimit('a.tar.gz');
  const inner = new DecompressionLimit('a.gz', outer);
  const pieces = [Buffer.alloc(60_000), Buffer.alloc(40_000)];
  const read: Uint8Array[] = [];
  for await (const piece of countPacked(Readable.from(pieces), inner)) read.push(piece);
  expect(read).toEqual(pieces);
  expect(() => inner.addPlain(100_000_000)).toThrow(bomb('a.tar.gz'));
  expect(inner.room).toBe(0);
});
