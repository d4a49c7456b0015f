import { crc32 } from 'node:zlib';

const COUNT = ',"data_page_count":';

/** Returns the checksum of an account: the CRC-32 of its JSON without `data_page_count`, plus the number of its records. */
export function accountChecksum(head: Buffer, tail: Buffer | string, records: number): number {
  return crc32(tail, crc32(head)) + records;
}

/**
 * Returns the number of accounts in a text, and the sum of their checksums.
 * @param json the JSON of the accounts, separated by commas
 * @param parts three numbers for each account: its records, the bytes of its head and of its tail; all separated by commas
 * @returns the sum is NaN if the lengths of the parts do not match the text
 */
export function accountsChecksum(json: Buffer, parts: string, pageSize: number): { readonly accounts: number; readonly sum: number } {
  const numbers = numbersIn(parts);
  let [offset, sum] = [0, 0];
  for (let index = 0; index < numbers.length; index += 3) {
    const [records = 0, head = 0, tail = 0] = [numbers[index], numbers[index + 1], numbers[index + 2]];
    const before = crc32(json.subarray(offset, offset + head));
    offset += head + pageCountBytes(records, pageSize);
    sum += crc32(json.subarray(offset, offset + tail), before) + records;
    offset += tail + 1;
  }
  const isWhole = offset === (numbers.length === 0 ? 0 : json.length + 1);
  return { accounts: numbers.length / 3, sum: isWhole ? sum : Number.NaN };
}

/** Returns the length of `data_page_count` and its value between the head and the tail of an account. */
function pageCountBytes(records: number, pageSize: number): number {
  return COUNT.length + String(Math.ceil(records / pageSize)).length;
}

/** Returns numbers that are separated by commas. */
export function numbersIn(parts: string): readonly number[] {
  return parts === '' ? [] : parts.split(',').map(Number);
}
