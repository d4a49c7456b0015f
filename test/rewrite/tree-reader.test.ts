import { describe, expect, it } from 'vitest';
import { chunkPath } from '../../src/rewrite/chunks.ts';
import { chunkReader, headReader, keepChunks } from '../../src/rewrite/tree-reader.ts';

const encoded = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

describe('headReader', () => {
  it('reads head.json with every call, and returns the new state as soon as it is there', async () => {
    let generation = 1;
    const paths: string[] = [];
    const read = headReader(async (path) => {
      paths.push(path);
      return encoded({ generation });
    });
    const first = await read();
    expect(await read()).toBe(first);
    generation = 2;
    expect((await read())?.generation).toBe(2);
    expect(first?.generation).toBe(1);
    expect(paths).toEqual(['head.json', 'head.json', 'head.json']);
  });

  it('returns to each call the state that it read, whatever order the reads end in', async () => {
    const answers: ((bytes: Uint8Array<ArrayBuffer>) => void)[] = [];
    const read = headReader(() => new Promise((done) => answers.push(done)));
    const [older, newer] = [read(), read()];
    answers[1]?.(encoded({ generation: 2 }));
    expect((await newer)?.generation).toBe(2);
    answers[0]?.(encoded({ generation: 1 }));
    expect((await older)?.generation).toBe(1);
  });

  it('returns undefined if there is no head.json', async () => {
    expect(await headReader(async () => undefined)()).toBe(undefined);
  });
});

describe('chunkReader', () => {
  it('reads the file of a chunk, and rejects if there is none', async () => {
    const hash = 'ab'.repeat(32);
    const read = chunkReader(async (path) => (path === chunkPath(hash) ? encoded(1) : undefined));
    expect(await read(hash)).toEqual(encoded(1));
    await expect(read('cd'.repeat(32))).rejects.toThrow(`there is no chunks/cd/${'cd'.repeat(31)}`);
  });
});

describe('keepChunks', () => {
  it('keeps the chunks that were used last, up to the number of bytes', async () => {
    const reads: string[] = [];
    const read = keepChunks(async (hash) => {
      reads.push(hash);
      return new Uint8Array(hash === 'large' ? 11 : 4);
    }, 10);
    for (const hash of ['a', 'b', 'a', 'b']) await read(hash);
    expect(reads).toEqual(['a', 'b']);
    // a was used before b
    for (const hash of ['c', 'b', 'c', 'a']) await read(hash);
    expect(reads).toEqual(['a', 'b', 'c', 'a']);
    for (const hash of ['large', 'large', 'c']) await read(hash);
    expect(reads).toEqual(['a', 'b', 'c', 'a', 'large', 'large', 'c']);
  });

  it('counts a chunk once that two requests read at the same time', async () => {
    const reads: string[] = [];
    const read = keepChunks(async (hash) => {
      reads.push(hash);
      return new Uint8Array(4);
    }, 10);
    await Promise.all([read('a'), read('a')]);
    for (const hash of ['b', 'a', 'b']) await read(hash);
    expect(reads).toEqual(['a', 'a', 'b']);
  });
});
