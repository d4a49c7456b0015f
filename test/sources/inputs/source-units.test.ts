import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FormatName } from '../../../src/sources/formats/all-formats.ts';
import { type SourceUnit, sourceUnits, unitsOfShard } from '../../../src/sources/inputs/source-units.ts';
import type { Input } from '../../../src/sources/source.ts';

async function* nothing(): AsyncGenerator<Uint8Array> {}

const unit = (name: string, size?: number): SourceUnit => ({ name, size, inputs: [] });
const input = (name: string, size?: number): Input => ({ name, size, open: nothing });
const namesOf = (units: readonly SourceUnit[]) => units.map(({ name }) => name);

describe('the shares of the sources', () => {
  it('have each source once, in the order of the sources', () => {
    const sizes = fc.array(fc.option(fc.integer({ min: 0, max: 1e12 }), { nil: undefined }), { maxLength: 40 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 50 }), (all, shards) => {
        const units = all.map((size, index) => unit(String(index), size));
        const shares = Array.from({ length: shards }, (_, number) => unitsOfShard(units, number, shards));
        expect(shares.flat()).toEqual(units);
      }),
    );
  });

  it('have about the same number of bytes', () => {
    const units = [4, 1, 1, 1, 1, 4].map((size, index) => unit(String(index), size));
    expect([0, 1, 2].map((number) => namesOf(unitsOfShard(units, number, 3)))).toEqual([['0'], ['1', '2', '3', '4'], ['5']]);
  });

  it('keep the files of a Twitter archive together', async () => {
    const files = ['a/account.js', 'b.json', 'a/manifest.js', 'a/tweets.js', 'a/profile.js'].map((name) => input(name, 10));
    const contents = async (from?: FormatName) =>
      (await sourceUnits(files, from)).map(({ name, size, inputs }) => [name, size, inputs.map((one) => one.name)]);
    const joined = [
      ['a/account.js', 30, ['a/account.js', 'a/manifest.js', 'a/profile.js', 'a/tweets.js']],
      ['b.json', 10, ['b.json']],
    ];
    expect(await contents()).toEqual(joined);
    expect(await contents('twitter-archive')).toEqual(joined);
    // as observe reads them: each file is a source of its own
    expect(await contents('neutral')).toEqual(files.map(({ name }) => [name, 10, [name]]));
  });

  it('divide the objects of an object store', async () => {
    async function* pages(): AsyncGenerator<Input> {
      yield input('s3://bucket/a', 1);
      yield input('s3://bucket/b', 2);
    }
    const units = await sourceUnits([{ ...input('s3://bucket'), pages }], undefined);
    expect(units.map(({ name, size }) => [name, size])).toEqual([
      ['s3://bucket/a', 1],
      ['s3://bucket/b', 2],
    ]);
    const read: string[] = [];
    for await (const page of units[1]?.inputs[0]?.pages?.() ?? []) read.push(page.name);
    expect(read).toEqual(['s3://bucket/b']);
  });
});
