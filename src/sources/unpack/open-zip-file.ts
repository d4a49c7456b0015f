import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { openPromise, type ZipFile } from 'yauzl';

/** The lengths of the end record, of its longest comment, and of the ZIP64 locator before it. */
const END = 22;
const MOST_COMMENT = 0xffff;
const LOCATOR = 20;

/**
 * Opens a ZIP, which stays open until it is closed.
 * @throws Error if it is damaged. If the ZIP64 locator has a huge offset, the library itself would throw where nobody can catch it
 */
export async function openZipFile(path: string): Promise<ZipFile> {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, LOCATOR + END + MOST_COMMENT));
    readSync(file, tail, 0, tail.length, size - tail.length);
    const locator = tail.lastIndexOf('PK\x05\x06', tail.length - END, 'latin1') - LOCATOR;
    const isLarge = locator >= 0 && tail.readUInt32LE(locator) === 0x07064b50;
    if (isLarge && tail.readBigUInt64LE(locator + 8) > size) throw new Error('the end record of ZIP64 is outside of the file');
  } finally {
    closeSync(file);
  }
  return await openPromise(path, { autoClose: false });
}
