import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joined, NOTHING, recordsChecksum } from '../../../src/store/check/checksum.ts';

const whole = (bytes: Buffer) => ({ crc: crc32(bytes), bytes: bytes.length });

describe('the combined checksum of two parts', () => {
  it('equals the checksum of the whole, at every split position', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat({ max: 300 }), (array, cut) => {
        const bytes = Buffer.from(array);
        expect(joined(whole(bytes.subarray(0, cut)), whole(bytes.subarray(cut)))).toEqual(whole(bytes));
      }),
    );
  });

  it('equals the checksum of the whole for long parts', () => {
    const bytes = Buffer.alloc(3_000_001, 'records');
    for (const cut of [1, 65_536, 1_234_567, 3_000_000]) {
      expect(joined(whole(bytes.subarray(0, cut)), whole(bytes.subarray(cut)))).toEqual(whole(bytes));
    }
  });

  it('includes a comma after each record, so that consecutive records can be combined', () => {
    const [one, two] = [Buffer.from('{"id":3},{"id":2}'), Buffer.from('{"id":1}')];
    expect(recordsChecksum(two, recordsChecksum(one))).toEqual(whole(Buffer.from('{"id":3},{"id":2},{"id":1},')));
    expect(joined(recordsChecksum(one), recordsChecksum(two))).toEqual(whole(Buffer.from('{"id":3},{"id":2},{"id":1},')));
    expect(recordsChecksum(Buffer.alloc(0))).toEqual(NOTHING);
  });
});
