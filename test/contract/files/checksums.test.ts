import { expect, it } from 'vitest';
import { sha256 } from '../../../src/contract/files/checksums.ts';

it('sha256 gives the hexadecimal digits of sha256sum', async () => {
  expect(await sha256(Buffer.from('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
